import type { Clock } from '../../platform/clock.ts'
import type { Rehearsal } from '../host/bootstrap.ts'
import { generateCa, loadCa } from '../pki/ca.ts'
import { issueLeaf } from '../pki/issue.ts'
import { controllerUri, runnerUri } from '../pki/spiffe.ts'

const NOBODY = 'rehearsal'
const LIFETIME_MS = 24 * 3_600_000

/** Both identities of a rehearsal, by an authority that is forgotten at once and that nobody trusts. */
export const makeRehearsal = async (clock: Clock): Promise<Rehearsal> => {
  const material = await generateCa({ installationId: NOBODY, clock })
  const ca = await loadCa({ ...material, clock })
  const serverUri = runnerUri(NOBODY, { organizationId: NOBODY, workspaceId: NOBODY, runId: NOBODY, phase: 'plan' }, NOBODY)
  const clientUri = controllerUri(NOBODY, NOBODY)
  const [server, client] = await Promise.all([
    issueLeaf(ca, { uri: serverUri, usage: 'server', lifetimeMs: LIFETIME_MS }),
    issueLeaf(ca, { uri: clientUri, usage: 'client', lifetimeMs: LIFETIME_MS }),
  ])
  const pair = ({ certificatePem, privateKeyPem }: typeof server) => ({ certificatePem, privateKeyPem })
  return { server: pair(server), client: pair(client), trustPem: material.certificatePem, serverUri, clientUri }
}
