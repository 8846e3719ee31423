import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { engineRejected, engineUnavailable, failureReason } from './engine-errors.ts'
import { extractEngine } from './extract-engine.ts'
import { findSum } from './find-sum.ts'
import { hashFile } from './hash-file.ts'
import type { ReleaseMirror } from './release-mirror.ts'
import type { ReleasePlatform } from './release-platform.ts'
import { verifySignature } from './verify-signature.ts'

type Deps = { mirror: ReleaseMirror; platform: ReleasePlatform; trustedKeys: string[]; clock: Clock }

const sumsMaxBytes = 1024 * 1024
const signatureMaxBytes = 64 * 1024
const archiveMaxBytes = 512 * 1024 * 1024
const engineMaxBytes = 1024 * 1024 * 1024

/**
 * Downloads `version` and leaves the verified file `terraform` in `directory`: signature of SHA256SUMS first, then the archive's sum, then
 * the extraction. Throws AppError ENGINE_UNAVAILABLE when the mirror does not deliver, ENGINE_BAD_CHECKSUM when it delivers the wrong thing.
 */
export const downloadEngine = async (deps: Deps, version: string, directory: string): Promise<void> => {
  const { mirror, platform, trustedKeys, clock } = deps
  const folder = `terraform/${version}`
  const archiveName = `terraform_${version}_${platform.os}_${platform.arch}.zip`
  const archive = join(directory, 'archive.zip')
  const deliver = <T>(transfer: Promise<T>): Promise<T> =>
    transfer.catch((error: unknown) => {
      throw engineUnavailable(version, mirror.url, failureReason(error), error)
    })
  const check = <T>(verification: Promise<T>): Promise<T> =>
    verification.catch((error: unknown) => {
      throw engineRejected(version, mirror.url, error instanceof Error ? error.message : String(error), error)
    })

  const sums = await deliver(mirror.read(`${folder}/terraform_${version}_SHA256SUMS`, sumsMaxBytes))
  const signature = await deliver(mirror.read(`${folder}/terraform_${version}_SHA256SUMS.sig`, signatureMaxBytes))
  await check(verifySignature({ content: sums, signature, trustedKeys, now: clock.now() }))
  const expected = findSum(sums.toString(), archiveName)
  if (expected === undefined) throw engineUnavailable(version, mirror.url, `the release has no ${archiveName}`)

  await deliver(mirror.save(`${folder}/${archiveName}`, archive, archiveMaxBytes))
  if ((await hashFile(archive)) !== expected) throw engineRejected(version, mirror.url, `the checksum of ${archiveName} does not match`)
  await check(extractEngine(archive, join(directory, 'terraform'), engineMaxBytes))
  await rm(archive)
}
