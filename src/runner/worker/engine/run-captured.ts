import type { BlobKind } from '../../gen/runner/v1/runner.ts'
import type { FileWriter, StoredFile } from '../files/file-writer.ts'
import { storeArtifact } from '../files/store-artifact.ts'
import type { StepOutput } from '../operation/make-operation.ts'
import { preparedOf } from '../prepared-of.ts'
import type { Session } from '../session.ts'
import { withoutUserArguments } from '../setup/build-environment.ts'
import { EngineFailure } from './conclude.ts'
import { runEngine } from './run-engine.ts'

/**
 * Runs a command of ours whose output is an artifact; `transform` sees it on its way. Arguments and log levels of the user
 * do not apply. Throws EngineFailure when the command fails.
 */
export const runCaptured = async (
  session: Session,
  args: readonly string[],
  kind: BlobKind,
  output: Pick<StepOutput, 'log'>,
  masked: boolean = false,
): Promise<StoredFile> => {
  const { enginePath, directory, environment } = preparedOf(session)
  const complaints = session.mask.stream()
  const mask = masked ? session.mask.stream() : undefined
  const fill = async (writer: FileWriter): Promise<void> => {
    const exit = await runEngine(session, {
      path: enginePath,
      args,
      directory,
      environment: withoutUserArguments(environment),
      stdout: async (bytes) => writer.write(mask?.write(bytes) ?? bytes),
      stderr: async (bytes) => output.log(complaints.write(bytes)),
    })
    await output.log(complaints.end())
    if (mask !== undefined) await writer.write(mask.end())
    if (exit.exitCode !== 0) throw new EngineFailure(exit)
  }
  return storeArtifact(session, kind, fill)
}
