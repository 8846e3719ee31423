import { type Resource, linkOne, linkOnly, resource } from '../api/index.ts'
import type { Account } from './get-current-account.ts'
import type { Token } from './token.ts'
import type { User } from './user.ts'

/** What others may know of a user: the form embedded by `include`. */
export const userResource = (user: User): Resource =>
  resource({
    type: 'users',
    id: user.id,
    attributes: { username: user.username, 'avatar-url': avatarOf(user.username), 'is-service-account': false, 'v2-only': false },
    relationships: { 'authentication-tokens': linkOnly(`/api/v2/users/${user.id}/authentication-tokens`) },
  })

/** The caller's own account; for an organization token a service account that stands for it. */
export const accountResource = (account: Account): Resource =>
  account.kind === 'user' ? ownUserResource(account.user) : serviceResource(account)

const ownUserResource = (user: User): Resource => {
  const known = userResource(user)
  return {
    ...known,
    attributes: {
      ...known.attributes,
      email: user.email,
      'unconfirmed-email': null,
      'two-factor': { enabled: false, verified: false },
      'is-site-admin': user.isSiteAdmin,
      'is-admin': user.isSiteAdmin,
      'is-sso-login': false,
      permissions: permissions(true),
    },
  }
}

const serviceResource = (account: Extract<Account, { kind: 'organization' }>): Resource => {
  const suffix = account.organizationId.slice('org-'.length)
  return resource({
    type: 'users',
    id: `user-${suffix}`,
    attributes: {
      username: `api-org-${account.organizationName}-${suffix}`,
      'avatar-url': avatarOf(account.organizationName),
      'is-service-account': true,
      'v2-only': false,
      email: null,
      'unconfirmed-email': null,
      'two-factor': { enabled: false, verified: false },
      'is-site-admin': false,
      'is-admin': false,
      'is-sso-login': false,
      permissions: permissions(false),
    },
    relationships: { 'authenticated-resource': linkOne('organizations', account.organizationName) },
  })
}

const permissions = (isUser: boolean) => ({
  'can-create-organizations': isUser,
  'can-change-email': isUser,
  'can-change-username': isUser,
  'can-manage-user-tokens': isUser,
  'can-view2fa-settings': false,
  'can-manage-hcp-account': false,
})

/** Clients expect a picture; this one is drawn here, so no third party learns who is looked at. */
const avatarOf = (name: string): string => {
  const letter = /[a-z0-9]/i.exec(name)?.[0].toUpperCase() ?? '?'
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="#5c4ee5"/>' +
    `<text x="32" y="43" font-size="32" font-family="sans-serif" fill="#fff" text-anchor="middle">${letter}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(picture)}`
}

/** `secret` is given in the reply to the creation only; later readers get null. */
export const tokenResource = (token: Token, secret?: string): Resource =>
  resource({
    type: 'authentication-tokens',
    id: token.id,
    attributes: {
      'created-at': token.createdAt,
      'last-used-at': token.lastUsedAt,
      description: token.description,
      token: secret ?? null,
      'expired-at': token.expiresAt,
    },
    relationships: { 'created-by': linkOne('users', token.createdByUserId) },
  })
