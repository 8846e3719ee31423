import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import { type Ca, fingerprintOf, generateCa, loadCa } from '../pki/ca.ts'
import type { RunnerTables } from '../tables.ts'
import { type AuthorityRow, findActiveAuthority, insertAuthority, listAuthorities, retireAuthority } from './authority-queries.ts'

export type AuthorityPurpose = 'runners' | 'server'

type Deps = { db: Database<RunnerTables>; envelope: Envelope; clock: Clock; installationId: string }

/** Users put the server's authority into their trust store, so it lasts. */
const SERVER_VALIDITY_MS = 10 * 365 * 86_400_000
/** Longer than any phase may take, which is seven days: what runs has been signed by an authority that outlives it. */
const REPLACE_BEFORE_MS = 8 * 86_400_000

const LOOK_AGAIN_MS = 60_000

const sealContext = (id: string): string => `certificate_authorities/${id}`

/**
 * The active authority of the installation for `purpose`, made when there is none or when it ends soon. Two controllers that start at
 * once end up with the same one. Its key is sealed in the database and never leaves the controller.
 */
export const activeAuthority = async (d: Deps, purpose: AuthorityPurpose): Promise<Ca> => {
  const found = await findActiveAuthority(d.db, purpose)
  if (found !== undefined && found.notAfter.getTime() - d.clock.now().getTime() > REPLACE_BEFORE_MS) return open(d, found)
  await replace(d, purpose, found)
  const active = await findActiveAuthority(d.db, purpose)
  if (active === undefined) throw new Error('the certificate authority vanished after it was made')
  return open(d, active)
}

/**
 * The authority that signs for runners now; with the fingerprint of another one, that: a worker that was started before the authority was
 * replaced trusts no other to its end.
 */
export const runnerAuthority = async (d: Deps, fingerprint?: string): Promise<Ca> => {
  const known = fingerprint === undefined ? [] : await listAuthorities(d.db, 'runners')
  const meant = known.find(({ certificatePem }) => fingerprintOf(new X509Certificate(certificatePem)) === fingerprint)
  return meant === undefined ? activeAuthority(d, 'runners') : open(d, meant)
}

/** The same for one controller, which keeps what it has opened: every runner that is started asks. */
export const makeRunnerAuthority = (d: Deps) => {
  const opened = new Map<string, Ca>()
  let active: { ca: Ca; sinceMs: number } | undefined
  return async (fingerprint?: string): Promise<Ca> => {
    const nowMs = d.clock.now().getTime()
    const isFresh = active !== undefined && nowMs - active.sinceMs < LOOK_AGAIN_MS
    const known = fingerprint === undefined ? (isFresh ? active?.ca : undefined) : opened.get(fingerprint)
    if (known !== undefined) return known
    const ca = await runnerAuthority(d, fingerprint)
    opened.set(ca.fingerprint, ca)
    if (fingerprint === undefined) active = { ca, sinceMs: nowMs }
    return ca
  }
}

const replace = async (d: Deps, purpose: AuthorityPurpose, old: AuthorityRow | undefined): Promise<void> => {
  const validity = purpose === 'server' ? { validityMs: SERVER_VALIDITY_MS } : {}
  const { certificatePem, privateKeyPem, notBefore, notAfter } = await generateCa({
    installationId: d.installationId,
    clock: d.clock,
    ...validity,
  })
  const id = newId('ca')
  const privateKeySealed = d.envelope.seal(privateKeyPem, sealContext(id))
  try {
    await d.db.transaction(async (tx) => {
      if (old !== undefined) await retireAuthority(tx, old.id)
      await insertAuthority(tx, {
        id,
        purpose,
        status: 'active',
        certificatePem,
        privateKeySealed,
        notBefore,
        notAfter,
        createdAt: d.clock.now(),
      })
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}

const open = (d: Deps, row: AuthorityRow): Promise<Ca> =>
  loadCa({
    certificatePem: row.certificatePem,
    privateKeyPem: d.envelope.openText(row.privateKeySealed, sealContext(row.id)),
    clock: d.clock,
  })
