import { z } from 'zod'
import { resourceType } from '../api/index.ts'

const flag = z.boolean()

const known = { username: z.string(), 'avatar-url': z.string(), 'is-service-account': flag, 'v2-only': flag }

/** What others may know of a user. */
export const userType = resourceType('users', {
  attributes: z.object(known),
  relationships: { 'authentication-tokens': 'link' },
})

/** The caller's own. */
export const accountType = resourceType('users', {
  schemaName: 'account',
  attributes: z.object({
    ...known,
    email: z.string().nullable(),
    'unconfirmed-email': z.null(),
    'two-factor': z.object({ enabled: flag, verified: flag }),
    'is-site-admin': flag,
    'is-admin': flag,
    'is-sso-login': flag,
    permissions: z.object({
      'can-create-organizations': flag,
      'can-change-email': flag,
      'can-change-username': flag,
      'can-manage-user-tokens': flag,
      'can-view2fa-settings': flag,
      'can-manage-hcp-account': flag,
    }),
  }),
  relationships: { 'authentication-tokens': 'link', 'authenticated-resource': { one: ['organizations', 'teams'] } },
})

export const tokenType = resourceType('authentication-tokens', {
  attributes: z.object({
    'created-at': z.date(),
    'last-used-at': z.date().nullable(),
    description: z.string().nullable(),
    token: z.string().nullable(),
    'expired-at': z.date().nullable(),
  }),
  relationships: { 'created-by': { one: 'users' }, team: { one: 'teams' } },
})
