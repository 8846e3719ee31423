import { type Resource, linkOne, linkOnly } from '../api/index.ts'
import type { Account } from './get-current-account.ts'
import { accountType, tokenType, userType } from './resource-types.ts'
import type { Token } from './token.ts'
import type { User } from './user.ts'

/** What others may know of a user: the form embedded by `include`. */
export const userResource = (user: User): Resource => userType.of({ id: user.id, attributes: known(user), relationships: tokensOf(user) })

const known = ({ username }: User) => ({
  username,
  'avatar-url': avatarOf(username),
  'is-service-account': false,
  'v2-only': false,
})

const tokensOf = ({ id }: User) => ({ 'authentication-tokens': linkOnly(`/api/v2/users/${id}/authentication-tokens`) })

/** The caller's own account; for the token of an organization or a team a service account that stands for it. */
export const accountResource = (account: Account): Resource =>
  account.kind === 'user' ? ownUserResource(account.user) : serviceResource(account)

const ownUserResource = (user: User): Resource =>
  accountType.of({
    id: user.id,
    attributes: {
      ...known(user),
      email: user.email,
      'unconfirmed-email': null,
      'two-factor': { enabled: false, verified: false },
      'is-site-admin': user.isSiteAdmin,
      'is-admin': user.isSiteAdmin,
      'is-sso-login': false,
      permissions: permissions(true),
    },
    relationships: { ...tokensOf(user), 'authenticated-resource': undefined },
  })

const serviceResource = (account: Exclude<Account, { kind: 'user' }>): Resource => {
  const { suffix, username, name, owner } = standIn(account)
  return accountType.of({
    id: `user-${suffix}`,
    attributes: {
      username,
      'avatar-url': avatarOf(name),
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
    relationships: { 'authentication-tokens': undefined, 'authenticated-resource': owner },
  })
}

const standIn = (account: Exclude<Account, { kind: 'user' }>) => {
  if (account.kind === 'team') {
    const suffix = account.teamId.slice('team-'.length)
    return { suffix, username: `api-team_${suffix}`, name: account.teamName, owner: linkOne('teams', account.teamId) }
  }
  const { organizationName: name } = account
  const suffix = account.organizationId.slice('org-'.length)
  return { suffix, username: `api-org-${name}-${suffix}`, name, owner: linkOne('organizations', name) }
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
  tokenType.of({
    id: token.id,
    attributes: {
      'created-at': token.createdAt,
      'last-used-at': token.lastUsedAt,
      description: token.description,
      token: secret ?? null,
      'expired-at': token.expiresAt,
    },
    relationships: {
      'created-by': linkOne('users', token.createdByUserId),
      team: token.teamId === null ? undefined : linkOne('teams', token.teamId),
    },
  })
