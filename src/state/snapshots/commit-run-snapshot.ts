import { chunks } from '../../platform/blobs/chunks.ts'
import { notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { findNewestSnapshot, findStateVersion, insertStateVersion } from '../queries.ts'
import type { StateDeps, StateTx } from '../state-version.ts'
import { type SnapshotDecision, decideSnapshot } from './decide-snapshot.ts'

export type RunSnapshot = {
  workspaceId: string
  runId: string
  /** As inside the bytes. */
  lineage: string
  serial: number
  bytes: AsyncIterable<Uint8Array> | Uint8Array
  /** Announced by the sender, lower-case hex; other bytes are refused. */
  sha256?: string
  /** Runs first in the transaction that writes; what it throws, a lost lease say, keeps the snapshot out. */
  fence?: (tx: StateTx) => Promise<void>
}

/**
 * Stores what terraform has written so far in a run, durable when it resolves and the same however often it is sent. A refused snapshot
 * changes nothing, but its bytes stay in the blob store under the key that is logged. Errors: NOT_FOUND, TOO_LARGE, those of `fence`.
 */
export const commitRunSnapshot =
  ({ db, blobs, clock, limits, log }: Pick<StateDeps, 'db' | 'blobs' | 'clock' | 'limits' | 'log'>) =>
  async ({ workspaceId, runId, lineage, serial, bytes, sha256, fence }: RunSnapshot): Promise<SnapshotDecision> => {
    const blob = await blobs.put(bytes instanceof Uint8Array ? chunks(bytes) : bytes, limits)
    if (sha256 !== undefined && sha256 !== blob.key) {
      return { kind: 'refused', reason: 'CHECKSUM', detail: `The sha256 of the snapshot is ${blob.key}, announced was ${sha256}.` }
    }
    const decision = await db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, workspaceId)
      if (workspace === undefined) throw notFound()
      await fence?.(tx)
      const current = workspace.currentStateVersionId === null ? undefined : await findStateVersion(tx, workspace.currentStateVersionId)
      const facts = {
        isLockedByRun: workspace.lockedByKind === 'run' && workspace.lockedById === runId,
        last: await findNewestSnapshot(tx, workspaceId, runId),
        currentBlobKey: current?.blobKey ?? null,
      }
      const decided = decideSnapshot(facts, { serial, lineage, blobKey: blob.key })
      if (decided.kind !== 'write') return decided
      const now = clock.now()
      await insertStateVersion(tx, {
        id: newId('sv'),
        workspaceId,
        runId,
        createdByUserId: null,
        serial,
        lineage,
        md5: blob.md5,
        status: 'finalized',
        isIntermediate: true,
        blobKey: blob.key,
        sizeBytes: blob.bytes,
        areResourcesProcessed: false,
        createdAt: now,
        finalizedAt: now,
      })
      return decided
    })
    if (decision.kind === 'refused')
      log.warn({ workspaceId, runId, serial, reason: decision.reason, blob: blob.key }, 'state snapshot kept aside')
    return decision
  }
