import type { Accounts } from '../accounts/index.ts'
import type { Organizations } from '../organizations/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Outbox } from '../platform/outbox/outbox.ts'
import type { Runs } from '../runs/index.ts'
import type { State } from '../state/index.ts'
import type { Workspaces } from '../workspaces/index.ts'
import type { Assets } from './assets.ts'

/** The pages call the same verbs as the API, as the user of the session. */
export type UiDeps = {
  accounts: Accounts
  organizations: Organizations
  workspaces: Workspaces
  runs: Runs
  state: State
  outbox: Pick<Outbox, 'listen'>
  assets: Assets
  /** Base of every link, without a slash at the end. */
  publicUrl: string
  /** Name by which terraform knows this server. */
  hostname: string
  /** A proxy in front ends TLS and says who the client is. */
  isBehindProxy: boolean
  log: Log
  clock: Clock
}
