import DatabaseDriver from 'better-sqlite3'
import { join } from 'node:path'
import type { TestServer } from '../harness/terrane-server.ts'
import { listProcesses } from '../harness/processes.ts'

/** Pid of the one runner that waits between plan and apply, as the server (on SQLite) has it on record. */
export const keptRunnerOf = async (server: TestServer): Promise<number> => {
  const alive = new Set((await listProcesses()).map(({ pid }) => pid))
  const kept = recordedPids(server).filter((pid) => alive.has(pid))
  const [only] = kept
  if (only === undefined || kept.length > 1) throw new Error(`${kept.length} runners are kept, expected one`)
  return only
}

const recordedPids = (server: TestServer): number[] => {
  const database = new DatabaseDriver(join(server.dataDir, 'terrane.db'), { readonly: true })
  try {
    const rows = database.prepare("SELECT runner_ref FROM runner_jobs WHERE phase = 'plan'").pluck().all()
    // A placement's own JSON, of which only this field is read.
    return rows.flatMap((row) => (typeof row === 'string' ? (JSON.parse(row) as { pid: number }).pid : []))
  } finally {
    database.close()
  }
}
