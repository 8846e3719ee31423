type SnapshotRefusal = 'NOT_LOCKED' | 'CHECKSUM' | 'STATE_SERIAL' | 'STATE_LINEAGE'

export type SnapshotFacts = {
  isLockedByRun: boolean
  /** The last snapshot of the same run. */
  last: { serial: number; lineage: string; blobKey: string | null } | undefined
  /** Bytes of the workspace's current version. */
  currentBlobKey: string | null
}

export type SnapshotDecision =
  | { kind: 'write' }
  /** Stored already, or nothing has changed since the run began. */
  | { kind: 'same' }
  | { kind: 'refused'; reason: SnapshotRefusal; detail: string }

const refused = (reason: SnapshotRefusal, detail: string): SnapshotDecision => ({ kind: 'refused', reason, detail })

/**
 * May a run store this snapshot? It is compared with the run's own last one only: serial and lineage inside the current state need not be
 * those that its uploader declared.
 */
export const decideSnapshot = (facts: SnapshotFacts, next: { serial: number; lineage: string; blobKey: string }): SnapshotDecision => {
  const { isLockedByRun, last, currentBlobKey } = facts
  if (!isLockedByRun) return refused('NOT_LOCKED', 'The run does not hold the lock of its workspace any more.')
  if (last === undefined) return next.blobKey === currentBlobKey ? { kind: 'same' } : { kind: 'write' }
  if (next.lineage !== last.lineage)
    return refused('STATE_LINEAGE', `The lineage changed from "${last.lineage}" to "${next.lineage}" within the run.`)
  if (next.serial > last.serial) return { kind: 'write' }
  if (next.serial === last.serial && next.blobKey === last.blobKey) return { kind: 'same' }
  return refused('STATE_SERIAL', `Serial ${next.serial} does not follow serial ${last.serial} of the run's last snapshot.`)
}
