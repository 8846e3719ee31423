import type { Session } from '../session.ts'
import type { EngineCommand, EngineExit } from './make-engine.ts'

/** The phase is being ended; nothing more is started. */
export class Stopped extends Error {}

/** Runs the engine, unless the phase is to end. There is no gap between look and start in which a cancel could be lost. */
export const runEngine = async (session: Session, command: EngineCommand): Promise<EngineExit> => {
  await session.engine.ready
  if (session.stop.reason !== undefined) throw new Stopped('the phase was stopped')
  return session.engine.run(command)
}
