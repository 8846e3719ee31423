import type { Prepared, Session } from './session.ts'

/** What prepare left; the order of steps guarantees that it has run. */
export const preparedOf = (session: Session): Prepared => {
  if (session.prepared === undefined) throw new Error('a step ran before prepare')
  return session.prepared
}
