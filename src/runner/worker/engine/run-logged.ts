import { preparedOf } from '../prepared-of.ts'
import type { StepOutput } from '../operation/make-operation.ts'
import type { Session } from '../session.ts'
import type { EngineExit } from './make-engine.ts'
import { runEngine } from './run-engine.ts'
import { type Observation, observeLine } from './observe-output.ts'
import { readLines } from './read-lines.ts'

/** Runs the user's own command: what it writes goes, masked, to `log` as soon as it is read. `more`: variables of the environment for it alone. */
export const runLogged = async (
  session: Session,
  args: readonly string[],
  output: Pick<StepOutput, 'log' | 'progress'>,
  more: Readonly<Record<string, string>> = {},
): Promise<{ exit: EngineExit; observation: Observation }> => {
  const { enginePath, directory, environment } = preparedOf(session)
  const observation: Observation = { summary: undefined, errors: [] }
  const stream = () => {
    const mask = session.mask.stream()
    const lines = readLines((line) => {
      const progress = observeLine(line, observation)
      if (progress !== undefined)
        output.progress({ ...progress, address: session.mask.text(progress.address), idValue: session.mask.text(progress.idValue) })
    })
    return {
      write: async (bytes: Buffer) => {
        lines.write(bytes)
        await output.log(mask.write(bytes))
      },
      end: async () => {
        lines.end()
        await output.log(mask.end())
      },
    }
  }
  const stdout = stream()
  const stderr = stream()
  const exit = await runEngine(session, {
    path: enginePath,
    args,
    directory,
    environment: { ...environment, ...more },
    stdout: stdout.write,
    stderr: stderr.write,
  })
  await stdout.end()
  await stderr.end()
  return { exit, observation }
}
