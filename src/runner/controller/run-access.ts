import type { PhaseMaterial } from '../../runs/index.ts'
import type { RunnerTx } from './deps.ts'

/** What lets the engine of a phase talk to this server: a CLI configuration with a token in it, the values to hide in every output, authorities to trust. */
export type Access = { cliConfig: string; redact: string[]; trustPem: string }

export type RunAccess = {
  /** Makes a new token of the run. Its secret is stored nowhere: whoever loses it makes another one. */
  grant(tx: RunnerTx, material: PhaseMaterial, until: Date): Promise<Access>
  /** Ends all tokens of the run, in the transaction that ends its phase. */
  revoke(tx: RunnerTx, runId: string): Promise<void>
}
