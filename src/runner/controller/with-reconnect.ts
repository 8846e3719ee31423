import { type Drive, isTransport } from './drive.ts'

/** Repeats an idempotent call on a new connection when the old one broke. */
export const withReconnect = async <R>(drive: Drive, call: () => Promise<R>): Promise<R> => {
  for (;;) {
    const runner = drive.runner()
    try {
      return await call()
    } catch (error) {
      if (!isTransport(error)) throw error
      await drive.reconnect(runner)
    }
  }
}
