import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeSignedUrls } from '../api/signed-urls.ts'
import { makeFsBlobStore } from '../platform/blobs/fs.ts'
import { systemClock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { lockDirectory } from '../platform/db/lock-directory.ts'
import { newUuid } from '../platform/ids.ts'
import { makeJobs } from '../platform/jobs/jobs.ts'
import { makeLeases } from '../platform/leases.ts'
import type { Log } from '../platform/log.ts'
import { makeOutbox } from '../platform/outbox/outbox.ts'
import { makePresence } from '../platform/presence.ts'
import { checkInstallationKey } from '../platform/secrets/check-installation-key.ts'
import { makeEnvelope } from '../platform/secrets/envelope.ts'
import { deriveKey, loadInstallationKey } from '../platform/secrets/installation-key.ts'
import type { ServerConfig } from './config.ts'
import { openDatabase } from './open-database.ts'
import type { Tables } from './schema.ts'

export type Platform = Awaited<ReturnType<typeof composePlatform>>

/** Database, keys, blobs and events: what every slice stands on. */
export const composePlatform = async (config: ServerConfig, log: Log) => {
  const clock = systemClock
  const isSqlite = config.databaseUrl === undefined
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = isSqlite ? lockDirectory(config.dataDir) : undefined
  const key = await loadInstallationKey({ file: join(config.dataDir, 'installation.key'), env: config.installationKey })
  const db = await openDatabase({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, log })
  const envelope = makeEnvelope({ keys: [key] })
  await checkInstallationKey(db, envelope)
  // Names this start of the process among all replicas.
  const controllerId = newUuid()
  return {
    clock,
    log,
    db,
    envelope,
    blobs: makeFsBlobStore({ directory: join(config.dataDir, 'blobs'), key: deriveKey(key, 'blobs'), log }),
    outbox: makeOutbox<Tables>({ db, clock, log, databaseUrl: config.databaseUrl }),
    signedUrls: makeSignedUrls({ key: deriveKey(key, 'signed-urls'), publicUrl: config.publicUrl, clock }),
    installationId: await installationIdOf(db),
    controllerId,
    jobs: makeJobs({ db, clock, log, owner: controllerId }),
    leases: makeLeases({ db, clock, owner: controllerId }),
    /** A SQLite file has one server. */
    presence: config.databaseUrl === undefined ? undefined : makePresence({ databaseUrl: config.databaseUrl, id: controllerId, log }),
    /** Lets another server have the data directory; the last thing to do. */
    release: () => lock?.release(),
  }
}

/** Random, made at the first start; part of every certificate's name. */
const installationIdOf = (db: Database<Tables>): Promise<string> =>
  db.transaction(async (tx) => {
    const { installation } = tx.t
    await tx.insert(installation).values({ key: 'installation-id', value: newUuid() }).onConflictDoNothing()
    const rows = await tx.select().from(installation)
    return rows.find((row) => row.key === 'installation-id')!.value
  })
