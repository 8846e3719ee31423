import { join } from 'node:path'
import gte from 'semver/functions/gte.js'
import { BlobKind, ErrorCode, type InitRequest, LogFormat, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { conclude } from '../engine/conclude.ts'
import { runLogged } from '../engine/run-logged.ts'
import { asArtifact } from '../files/as-artifact.ts'
import { storeJobFile } from '../files/store-artifact.ts'
import { preparedOf } from '../prepared-of.ts'
import type { Step } from '../session.ts'
import { checkBackend } from '../setup/check-backend.ts'
import { withSshKey } from '../setup/with-ssh-key.ts'
import { outputSwitch } from './output-switch.ts'

/** Of the engine; before it, init has only text. */
const FIRST_WITH_JSON = '1.9.0'

/** Of the text that is kept until init has failed; it is short in practice. */
const MAX_KEPT_BYTES = 1024 * 1024

/** Said of our backend, which no configuration names; text also among lines of JSON (measured, 1.11). */
const ABOUT_BACKEND = /[^\n{]*\nSuccessfully configured the backend "local"![^]*?configuration changes\.[^\n]*\n/g

/** `init`. Its text reaches the log when it fails; when it succeeds it is nobody's business. */
export const init: Step<InitRequest> = async (session, request, output) => {
  const { directory, engineVersion, sshPrivateKey } = preparedOf(session)
  const args = [
    'init',
    '-input=false',
    ...outputSwitch(gte(engineVersion, FIRST_WITH_JSON) ? request.logFormat : LogFormat.TEXT),
    '-reconfigure',
    '-backend=true',
    ...(request.lockfileReadonly ? ['-lockfile=readonly'] : []),
  ]
  const kept: Buffer[] = []
  let keptBytes = 0
  const keep = async (bytes: Buffer): Promise<void> => {
    const room = bytes.subarray(0, MAX_KEPT_BYTES - keptBytes)
    keptBytes += room.length
    kept.push(room)
    if (room.length > 0 && keptBytes === MAX_KEPT_BYTES) kept.push(Buffer.from('\n[The rest of the output is left out.]\n'))
  }
  const { exit, observation } = await withSshKey(session.paths, sshPrivateKey, session.isolation, (environment) =>
    runLogged(session, args, { ...output, log: keep }, environment),
  )
  if (exit.exitCode !== 0) {
    await output.log(Buffer.from(Buffer.concat(kept).toString('latin1').replaceAll(ABOUT_BACKEND, ''), 'latin1'))
    return conclude(exit, session.stop.reason, ErrorCode.INIT_FAILED, observation.errors)
  }
  checkBackend(directory, session.paths, session.isolation)
  const lockFile = await storeJobFile(session, BlobKind.LOCK_FILE, join(directory, '.terraform.lock.hcl'))
  session.initialised = true
  return { outcome: StepOutcome.SUCCEEDED, artifacts: lockFile === undefined ? [] : [asArtifact(BlobKind.LOCK_FILE, lockFile)] }
}
