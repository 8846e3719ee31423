import type { ServiceError } from '@grpc/grpc-js'

/** Begins a call that has one reply. `explain` turns what went wrong into the error that the caller gets. */
export const callUnary = <A>(
  begin: (done: (error: ServiceError | null, reply: A) => void, fail: (error: unknown) => void) => unknown,
  explain: (error: unknown) => Promise<unknown>,
): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    begin((error, reply) => (error ? reject(error) : resolve(reply)), reject)
  }).catch(async (error: unknown) => {
    throw await explain(error)
  })
