import { expect, it } from 'vitest'
import { testEnvelope } from '../../../test/harness/workspaces.ts'
import { openTestDatabase } from '../../../test/harness/database.ts'
import { makeFakeClock } from '../../../test/harness/fake-clock.ts'
import { INSTALLATION } from '../../../test/harness/test-pki.ts'
import type { Database } from '../../platform/db/database.ts'
import type { RunnerTables } from '../tables.ts'
import { activeAuthority, runnerAuthority } from './authorities.ts'

const DAY_MS = 86_400_000

it('an authority is replaced before it ends; workers that trust only the old one still get certificates of it', async () => {
  const { db, drop } = await openTestDatabase()
  try {
    const clock = makeFakeClock()
    // safe because the test database has the tables of every slice
    const d = { db: db as unknown as Database<RunnerTables>, envelope: testEnvelope(), clock, installationId: INSTALLATION }
    const first = await runnerAuthority(d)
    clock.advance(21 * DAY_MS)
    expect((await runnerAuthority(d)).fingerprint).toBe(first.fingerprint)
    clock.advance(2 * DAY_MS)
    const [next, server] = [await runnerAuthority(d), await activeAuthority(d, 'server')]
    expect(next.fingerprint).not.toBe(first.fingerprint)
    // Longer than the longest phase, which may have begun a moment ago.
    expect(first.notAfter.getTime() - clock.now().getTime()).toBeGreaterThan(6.9 * DAY_MS)
    expect((await runnerAuthority(d, first.fingerprint)).certificatePem).toBe(first.certificatePem)
    expect((await runnerAuthority(d, next.fingerprint)).certificatePem).toBe(next.certificatePem)
    for (const other of [server.fingerprint, 'unknown']) expect((await runnerAuthority(d, other)).fingerprint).toBe(next.fingerprint)
  } finally {
    await drop()
  }
})
