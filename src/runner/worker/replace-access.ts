import { rm } from 'node:fs/promises'
import type { RebindRequest } from '../gen/runner/v1/runner.ts'
import { writeJobFile } from './files/write-job-file.ts'
import { makeMask } from './mask/make-mask.ts'
import type { Session } from './session.ts'

/** The engine's CLI configuration for the apply: it has a token of its own. What was hidden during the plan stays hidden. */
export const replaceAccess = async (
  session: Session,
  { cliConfig, redact }: Pick<RebindRequest, 'cliConfig' | 'redact'>,
): Promise<void> => {
  session.secrets = [...session.secrets, ...redact]
  session.mask = makeMask(session.secrets)
  if (cliConfig === '') return
  await rm(session.paths.cliConfig, { force: true })
  await writeJobFile(session.paths.cliConfig, cliConfig, 0o600, session.isolation)
}
