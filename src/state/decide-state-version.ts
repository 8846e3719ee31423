export type LockFacts = { isLocked: boolean; isLockedByCaller: boolean }

/** The newest finalized version, whether it is current already or a snapshot under the lock. */
export type Tip = { serial: number; lineage: string; md5: string }

export type NewVersion = {
  serial: number
  /** As declared; undefined when the uploader said nothing. */
  lineage: string | undefined
  md5: string
  isForced: boolean
}

type Refusal = { kind: 'refused'; detail: string }
export type Decision = { kind: 'accepted' } | Refusal

const refused = (detail: string): Refusal => ({ kind: 'refused', detail })
const ACCEPTED: Decision = { kind: 'accepted' }

/** The CLI asks for force in migrations only: it drops the switch of `terraform state push -force` (1.11). */
const TO_REPLACE_ALL_THE_SAME =
  'To put it in place all the same, give the file the lineage of the workspace and a higher serial, or upload it to the API with "force": true.'

/** State changes only under the caller's own lock. */
export const decideLock = ({ isLocked, isLockedByCaller }: LockFacts): Decision => {
  if (!isLocked) return refused('The workspace is not locked. Lock it before you change its state.')
  return isLockedByCaller
    ? ACCEPTED
    : refused('The workspace is locked by somebody else. Its state can be changed by the holder of the lock only.')
}

/** Whether a version may follow `tip`. The same serial with the same content is a repetition and welcome; `isForced` lifts every rule. */
export const decideSuccession = (tip: Tip | undefined, next: NewVersion): Decision => {
  if (tip === undefined || next.isForced) return ACCEPTED
  if (next.lineage !== undefined && tip.lineage !== '' && next.lineage !== tip.lineage) {
    return refused(`The lineage "${next.lineage}" is not that of the workspace's state, "${tip.lineage}". ${TO_REPLACE_ALL_THE_SAME}`)
  }
  if (next.serial < tip.serial) {
    return refused(
      `Serial ${next.serial} is older than serial ${tip.serial} of the workspace's state. Read the newest state. ${TO_REPLACE_ALL_THE_SAME}`,
    )
  }
  if (next.serial === tip.serial && next.md5 !== tip.md5) {
    return refused(`Serial ${next.serial} exists already with other content. Read the newest state and write the next serial.`)
  }
  return ACCEPTED
}

/** May the caller create this version? */
export const decideStateVersion = (lock: LockFacts, tip: Tip | undefined, next: NewVersion): Decision => {
  const locked = decideLock(lock)
  return locked.kind === 'refused' ? locked : decideSuccession(tip, next)
}
