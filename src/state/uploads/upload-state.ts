import { AppError, conflict, notFound } from '../../platform/errors.ts'
import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { decideSuccession } from '../decide-state-version.ts'
import { analyseState } from '../parse/analyse-state.ts'
import { findStateVersion, findTip } from '../queries.ts'
import type { StateTx, StateVersion } from '../state-version.ts'
import { type FinalizeDeps, finalizeStateVersion } from './finalize-state-version.ts'

const refuseDiscarded = ({ status }: StateVersion): void => {
  if (status === 'discarded')
    throw conflict('This upload came too late: a newer state was uploaded, or the lock has gone. Create a new state version.')
}

/** Whoever asked for the upload was checked then; what became final since was not. */
const checkMeanwhile = async (tx: StateTx, version: StateVersion): Promise<void> => {
  const tip = await findTip(tx, version.workspaceId)
  if (tip?.finalizedAt === undefined || tip.finalizedAt === null || tip.finalizedAt <= version.createdAt) return
  const decision = decideSuccession(tip, { ...version, lineage: version.lineage === '' ? undefined : version.lineage, isForced: false })
  if (decision.kind === 'refused') throw new AppError('PRECONDITION_FAILED', decision.detail)
}

/**
 * The bytes of a pending version, streamed to the blob store. The same bytes again do nothing: a client that did not hear the answer repeats.
 * Errors: NOT_FOUND, CONFLICT (discarded, or uploaded with other bytes), TOO_LARGE, BAD_REQUEST (md5; it stays pending),
 * PRECONDITION_FAILED (another state became final since it was created).
 */
export const uploadState =
  (deps: FinalizeDeps) =>
  async (id: string, source: AsyncIterable<Uint8Array>): Promise<void> => {
    const { db, blobs, limits } = deps
    const version = await findStateVersion(db, id)
    if (version === undefined) throw notFound()
    refuseDiscarded(version)
    const blob = await blobs.put(source, limits)
    if (blob.md5 !== version.md5) {
      if (version.status !== 'pending') throw conflict('The state was uploaded already.')
      throw new AppError('BAD_REQUEST', `The md5 of the uploaded state is ${blob.md5}, announced was ${version.md5}. Upload it again.`)
    }
    if (version.status !== 'pending') return
    const analysis = blob.bytes <= limits.processAtOnceBytes ? await analyseState(await blobs.read(blob.key)) : undefined
    await db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, version.workspaceId)
      const pending = await findStateVersion(tx, id)
      if (workspace === undefined || pending === undefined) throw notFound()
      refuseDiscarded(pending)
      if (pending.status !== 'pending') return
      await checkMeanwhile(tx, pending)
      await finalizeStateVersion(deps, tx, workspace, pending, { blob, analysis })
    })
  }
