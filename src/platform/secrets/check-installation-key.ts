import { eq } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import type { Envelope } from './envelope.ts'

const ROW = 'key-check'
const CONTEXT = 'installation/key-check'

/** Throws an Error for the operator when the database was written with another installation key; the first call leaves the mark. */
export const checkInstallationKey = async (db: Database<PlatformTables>, envelope: Envelope): Promise<void> => {
  const stored = await db.transaction(async (tx) => {
    const { installation } = tx.t
    const mark = envelope.seal('terrane', CONTEXT).toString('base64')
    await tx.insert(installation).values({ key: ROW, value: mark }).onConflictDoNothing()
    const [row] = await tx.select().from(installation).where(eq(installation.key, ROW))
    return row?.value ?? mark
  })
  try {
    envelope.open(Buffer.from(stored, 'base64'), CONTEXT)
  } catch {
    throw new Error(
      'The installation key is not the one this database was written with, so its secrets cannot be opened. ' +
        'Restore the original installation.key (or TERRANE_INSTALLATION_KEY); all replicas share one key.',
    )
  }
}
