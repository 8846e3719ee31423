import type { Kit } from '../platform/db/kit.ts'

export const accountTables = (k: Kit) => {
  const users = k.table(
    'users',
    {
      id: k.text('id').notNull(),
      username: k.text('username').notNull(),
      /** Lower case of the username; unique. */
      usernameKey: k.text('username_key').notNull(),
      email: k.text('email').notNull(),
      passwordHash: k.text('password_hash'),
      isSiteAdmin: k.bool('is_site_admin').notNull(),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'users_pk', columns: [t.id] }),
      k.uniqueIndex('users_username_key').on(t.usernameKey),
      k.index('users_email_idx').on(t.email),
    ],
  )
  /** All kinds of API tokens share one id space. Only the SHA-256 of the secret is kept. */
  const tokens = k.table(
    'tokens',
    {
      id: k.text('id').notNull(),
      kind: k.text('kind').$type<TokenKind>().notNull(),
      secretHash: k.text('secret_hash').notNull(),
      userId: k.text('user_id'),
      organizationId: k.text('organization_id'),
      /** Team tokens only; a back reference of a later slice. */
      teamId: k.text('team_id'),
      runId: k.text('run_id'),
      /** Workspace of the run; run tokens only. */
      workspaceId: k.text('workspace_id'),
      createdByUserId: k.text('created_by_user_id'),
      description: k.text('description'),
      createdAt: k.time('created_at').notNull(),
      lastUsedAt: k.time('last_used_at'),
      expiresAt: k.time('expires_at'),
    },
    (t) => [
      k.primaryKey({ name: 'tokens_pk', columns: [t.id] }),
      k.uniqueIndex('tokens_secret_hash_key').on(t.secretHash),
      k.index('tokens_user_idx').on(t.userId),
      k.index('tokens_organization_idx').on(t.organizationId),
      k.index('tokens_run_idx').on(t.runId),
      k.index('tokens_team_idx').on(t.teamId),
      k.foreignKey({ name: 'tokens_user_fk', columns: [t.userId], foreignColumns: [users.id] }).onDelete('cascade'),
    ],
  )
  /** Browser sessions. Only the SHA-256 of the secret in the cookie is kept. */
  const sessions = k.table(
    'sessions',
    {
      idHash: k.text('id_hash').notNull(),
      userId: k.text('user_id').notNull(),
      createdAt: k.time('created_at').notNull(),
      lastSeenAt: k.time('last_seen_at').notNull(),
      expiresAt: k.time('expires_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'sessions_pk', columns: [t.idHash] }),
      k.index('sessions_user_idx').on(t.userId),
      k.index('sessions_expires_idx').on(t.expiresAt),
      k.foreignKey({ name: 'sessions_user_fk', columns: [t.userId], foreignColumns: [users.id] }).onDelete('cascade'),
    ],
  )
  /** One-time links by which a user sets the first password. */
  const setupLinks = k.table(
    'setup_links',
    {
      tokenHash: k.text('token_hash').notNull(),
      userId: k.text('user_id').notNull(),
      createdAt: k.time('created_at').notNull(),
      expiresAt: k.time('expires_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'setup_links_pk', columns: [t.tokenHash] }),
      k.index('setup_links_user_idx').on(t.userId),
      k.foreignKey({ name: 'setup_links_user_fk', columns: [t.userId], foreignColumns: [users.id] }).onDelete('cascade'),
    ],
  )
  /** What `terraform login` turns into a token: single use, some minutes. */
  const authorizationCodes = k.table(
    'authorization_codes',
    {
      codeHash: k.text('code_hash').notNull(),
      userId: k.text('user_id').notNull(),
      clientId: k.text('client_id').notNull(),
      redirectUri: k.text('redirect_uri').notNull(),
      /** Base64url of the SHA-256 of the verifier. */
      codeChallenge: k.text('code_challenge').notNull(),
      createdAt: k.time('created_at').notNull(),
      expiresAt: k.time('expires_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'authorization_codes_pk', columns: [t.codeHash] }),
      k.index('authorization_codes_user_idx').on(t.userId),
      k.foreignKey({ name: 'authorization_codes_user_fk', columns: [t.userId], foreignColumns: [users.id] }).onDelete('cascade'),
    ],
  )
  return { users, tokens, sessions, setupLinks, authorizationCodes }
}

/** An organization has at most one of each. */
export type OrganizationTokenKind = 'organization' | 'audit-trails'
export type TokenKind = 'user' | OrganizationTokenKind | 'team' | 'run'
export type AccountTables = ReturnType<typeof accountTables>
