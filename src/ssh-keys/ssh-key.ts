import type { Authorize, Organizations } from '../organizations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Envelope } from '../platform/secrets/envelope.ts'
import type { UsedTables } from '../workspaces/index.ts'
import type { SshKeyTables } from './tables.ts'

type Tables = SshKeyTables & UsedTables

export type SshKeyTx = Tx<Tables>
/** A database or a transaction, for reading. */
export type SshKeyReader = Pick<Tx<SshKeyTables>, 't' | 'select' | '$count'>
export type SshKeyRow = SshKeyTables['sshKeys']['$inferSelect']

/** A key as it is shown: without its text, which nobody gets to see again. */
export type SshKey = Omit<SshKeyRow, 'valueSealed'>

export type SshKeyDeps = {
  db: Database<Tables>
  clock: Clock
  outbox: Pick<Outbox, 'emit'>
  envelope: Envelope
  authorize: Authorize
  getOrganization: Organizations['getOrganization']
}

/** Binds a sealed key to its row. */
export const sealingContext = (id: string): string => `ssh-keys/${id}`

export const toSshKey = ({ valueSealed: _valueSealed, ...shown }: SshKeyRow): SshKey => shown
