import { systemClock } from '../src/platform/clock.ts'
import { makeRehearsal } from '../src/runner/controller/make-rehearsal.ts'
import type { Bootstrap } from '../src/runner/host/bootstrap.ts'

/** What makes a worker that is told nothing else start, rehearse once and end: two lines for its stdin. */
export const rehearsalInput = async (workRoot: string): Promise<string> => {
  const rehearsal = await makeRehearsal(systemClock)
  const bootstrap: Bootstrap = {
    installationId: 'rehearsal',
    instanceId: 'rehearsal',
    workRoot,
    ...rehearsal.server,
    trustPem: [rehearsal.trustPem],
    controllerUriPrefix: rehearsal.clientUri,
    logLevel: 'warn',
  }
  return `${JSON.stringify(bootstrap)}\n${JSON.stringify({ rehearsal })}\n`
}
