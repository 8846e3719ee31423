import { join } from 'node:path'
import { BlobKind, ErrorCode, type InitRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { conclude } from '../engine/conclude.ts'
import { runLogged } from '../engine/run-logged.ts'
import { storeJobFile } from '../files/store-artifact.ts'
import { preparedOf } from '../prepared-of.ts'
import { asArtifact, type Step } from '../session.ts'
import { checkBackend } from '../setup/check-backend.ts'

/** Of the text that is kept until init has failed; it is short in practice. */
const MAX_KEPT_BYTES = 1024 * 1024

/** `init`. Its text reaches the log when it fails; when it succeeds it tells of our backend, which is nobody's business. */
export const init: Step<InitRequest> = async (session, request, output) => {
  const args = [
    'init',
    '-input=false',
    '-no-color',
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
  const { exit, observation } = await runLogged(session, args, { ...output, log: keep })
  if (exit.exitCode !== 0) {
    for (const bytes of kept) await output.log(bytes)
    return conclude(exit, session.stop.reason, ErrorCode.INIT_FAILED, observation.errors)
  }
  const { directory } = preparedOf(session)
  await checkBackend(directory, session.paths.stateFile, session.isolation)
  const lockFile = await storeJobFile(session, BlobKind.LOCK_FILE, join(directory, '.terraform.lock.hcl'))
  session.initialised = true
  return { outcome: StepOutcome.SUCCEEDED, artifacts: lockFile === undefined ? [] : [asArtifact(BlobKind.LOCK_FILE, lockFile)] }
}
