import { and, eq } from 'drizzle-orm'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import { type Ca, generateCa, loadCa } from '../pki/ca.ts'
import type { RunnerTables } from '../tables.ts'

export type AuthorityPurpose = 'runners' | 'server'

type Deps = { db: Database<RunnerTables>; envelope: Envelope; clock: Clock; installationId: string }

const sealContext = (id: string): string => `certificate_authorities/${id}`

/**
 * The active authority of the installation for `purpose`, made when there is none. Two controllers that start at once end up with the
 * same one. Its key is sealed in the database and never leaves the controller.
 */
export const activeAuthority = async (d: Deps, purpose: AuthorityPurpose): Promise<Ca> => {
  const found = await find(d, purpose)
  if (found !== undefined && found.notAfter.getTime() - d.clock.now().getTime() > REPLACE_BEFORE_MS) return found
  const made = await generateCa({
    installationId: d.installationId,
    clock: d.clock,
    ...(purpose === 'server' ? { validityMs: SERVER_VALIDITY_MS } : {}),
  })
  const id = newId('ca')
  try {
    await d.db.transaction(async (tx) => {
      const t = tx.t.certificateAuthorities
      if (found !== undefined)
        await tx
          .update(t)
          .set({ status: `retired ${found.fingerprint}` })
          .where(eq(t.certificatePem, found.certificatePem))
      await tx.insert(tx.t.certificateAuthorities).values({
        id,
        purpose,
        status: 'active',
        certificatePem: made.certificatePem,
        privateKeySealed: d.envelope.seal(made.privateKeyPem, sealContext(id)),
        notBefore: made.notBefore,
        notAfter: made.notAfter,
        createdAt: d.clock.now(),
      })
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
  const active = await find(d, purpose)
  if (active === undefined) throw new Error('the certificate authority vanished after it was made')
  return active
}

/** Longer than any phase may take: what runs has been signed by an authority that outlives it. */
const REPLACE_BEFORE_MS = 2 * 86_400_000

/** Users put this one into their trust store, so it lasts. */
const SERVER_VALIDITY_MS = 10 * 365 * 86_400_000

const find = async (d: Deps, purpose: AuthorityPurpose): Promise<Ca | undefined> => {
  const { certificateAuthorities } = d.db.t
  const rows = await d.db
    .select()
    .from(certificateAuthorities)
    .where(and(eq(certificateAuthorities.purpose, purpose), eq(certificateAuthorities.status, 'active')))
  const row = rows[0]
  if (row === undefined) return undefined
  return loadCa({
    certificatePem: row.certificatePem,
    privateKeyPem: d.envelope.openText(row.privateKeySealed, sealContext(row.id)),
    clock: d.clock,
  })
}
