import { mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { RunnerError } from '../runner.ts'
import { isRunning, processesOfUser } from './process-table.ts'
import { withClaimsLock } from './with-claims-lock.ts'

/**
 * Users for engines: `count` numbers from `firstUid`, which belong to nobody else on this machine. Servers of one machine that share the
 * numbers must share `claimsDirectory` (made when missing), or each would end what the other runs.
 */
export type UidRange = { firstUid: number; count: number; claimsDirectory: string }

const claimSchema = z.object({ instanceId: z.string(), pid: z.int(), startTicks: z.string(), runDirectory: z.string() })

export type UidClaim = z.infer<typeof claimSchema>

/**
 * A user that no other job has, written down in the range's directory, so that every other controller respects it. A claim holds as
 * long as its worker, a process of the user or the run directory exists. Throws RunnerError `RESOURCE_EXHAUSTED`.
 */
export const claimUid = async (range: UidRange, claim: UidClaim): Promise<number> => {
  const { claimsDirectory } = range
  // The parent holds what the engines' users read.
  await mkdir(dirname(claimsDirectory), { recursive: true, mode: 0o711 })
  await mkdir(claimsDirectory, { recursive: true, mode: 0o700 })
  return withClaimsLock(claimsDirectory, async () => {
    for (let uid = range.firstUid; uid < range.firstUid + range.count; uid++) {
      if (await isHeld(claimsDirectory, uid)) continue
      await writeFile(claimFile(claimsDirectory, uid), JSON.stringify(claim), { mode: 0o600 })
      return uid
    }
    throw new RunnerError('RESOURCE_EXHAUSTED', `all ${range.count} users from ${range.firstUid} are taken by jobs`)
  })
}

/** What holds the user of a running worker from now on; the claim that stands keeps it for the worker until then. */
export const renewUidClaim = async ({ claimsDirectory }: UidRange, uid: number, claim: UidClaim): Promise<void> => {
  const partial = `${claimFile(claimsDirectory, uid)}.${claim.instanceId}`
  await writeFile(partial, JSON.stringify(claim), { mode: 0o600 })
  await rename(partial, claimFile(claimsDirectory, uid))
}

/** Gives back the user of an instance whose processes and directory are gone; nothing happens when somebody else has it by now. */
export const releaseUid = (claimsDirectory: string, uid: number, instanceId: string): Promise<void> =>
  whileClaimed(claimsDirectory, uid, instanceId, () => unlink(claimFile(claimsDirectory, uid)))

/** Does `work` if the instance still has the user, and lets nobody claim it meanwhile. */
export const whileClaimed = async (claimsDirectory: string, uid: number, instanceId: string, work: () => Promise<void>): Promise<void> => {
  if ((await readUidClaim(claimsDirectory, uid)) === undefined) return
  await withClaimsLock(claimsDirectory, async () => {
    if ((await readUidClaim(claimsDirectory, uid))?.instanceId === instanceId) await work()
  })
}

/** Who has `uid`, or had it last. */
export const readUidClaim = async (claimsDirectory: string, uid: number): Promise<UidClaim | undefined> => {
  const text = await readFile(claimFile(claimsDirectory, uid), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return claimSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const isHeld = async (claimsDirectory: string, uid: number): Promise<boolean> => {
  const claim = await readUidClaim(claimsDirectory, uid)
  if (claim && (isRunning(claim.pid, claim.startTicks) || (await exists(claim.runDirectory)))) return true
  return (await processesOfUser(uid)).length > 0
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const claimFile = (claimsDirectory: string, uid: number): string => join(claimsDirectory, String(uid))
