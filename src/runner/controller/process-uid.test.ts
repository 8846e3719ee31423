import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/harness/temp-dir.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'
import { claimUid, readUidClaim, releaseUid } from './process-uid.ts'

/** High enough to belong to no user of a machine that runs tests. */
const rangeIn = (claimsDirectory: string) => ({ firstUid: 1_900_000_000, count: 3, claimsDirectory })
const self = { pid: process.pid, startTicks: startTicks(process.pid) ?? '' }
const gone = { pid: process.pid, startTicks: '1' }

describe('users for jobs', () => {
  it('are different for all live workers, also when asked for at once, and run out with a clear error', async () => {
    const root = await tempDir()
    const claim = (instanceId: string) => claimUid(rangeIn(root), { ...self, instanceId, runDirectory: join(root, instanceId) })
    const uids = await Promise.all(['a', 'b', 'c'].map(claim))
    expect(new Set(uids)).toEqual(new Set([1_900_000_000, 1_900_000_001, 1_900_000_002]))
    await expect(claim('d')).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: expect.stringContaining('all 3 users') })
  })

  it('are taken again only when worker and directory are gone', async () => {
    const root = await tempDir()
    const directory = join(root, 'run-1')
    await mkdir(directory)
    const first = await claimUid(rangeIn(root), { ...gone, instanceId: 'a', runDirectory: directory })
    expect(await claimUid(rangeIn(root), { ...self, instanceId: 'b', runDirectory: join(root, 'run-2') })).toBe(first + 1)
    await rm(directory, { recursive: true })
    expect(await claimUid(rangeIn(root), { ...self, instanceId: 'c', runDirectory: join(root, 'run-3') })).toBe(first)
    expect((await readUidClaim(root, first))?.instanceId).toBe('c')
  })

  it('are given back by their holder only', async () => {
    const root = await tempDir()
    const uid = await claimUid(rangeIn(root), { ...self, instanceId: 'a', runDirectory: join(root, 'run-1') })
    await releaseUid(root, uid, 'b')
    expect(await readUidClaim(root, uid)).toBeDefined()
    await releaseUid(root, uid, 'a')
    await releaseUid(root, uid, 'a')
    expect(await readUidClaim(root, uid)).toBeUndefined()
  })
})
