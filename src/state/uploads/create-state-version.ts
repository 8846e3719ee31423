import { createHash } from 'node:crypto'
import type { Ctx } from '../../platform/context.ts'
import { AppError, conflict, invalid, notFound } from '../../platform/errors.ts'
import { chunks } from '../../platform/blobs/chunks.ts'
import type { StoredBlob } from '../../platform/blobs/store.ts'
import { isId, newId } from '../../platform/ids.ts'
import { findAllowed, holdsLock, lockWorkspaceRow, type WorkspaceRow } from '../../workspaces/index.ts'
import { decideStateVersion, type NewVersion } from '../decide-state-version.ts'
import { sealOutputs } from '../outputs/seal-outputs.ts'
import { inSlices } from '../parse/in-slices.ts'
import { parseOutputs, type ParsedOutput } from '../parse/parse-outputs.ts'
import { findTip, insertOutputs, insertStateVersion, updateStateVersion } from '../queries.ts'
import type { CreateStateVersion } from '../schemas.ts'
import type { StateReader, StateVersion } from '../state-version.ts'
import { decodeBase64 } from './decode-base64.ts'
import { type FinalizeDeps, finalizeStateVersion } from './finalize-state-version.ts'
import { storeState } from './store-state.ts'

/** Throws CONFLICT unless the actor holds the lock and the version may follow the newest one. */
const checkConflicts = async (reader: StateReader, ctx: Ctx, workspace: WorkspaceRow, next: NewVersion): Promise<void> => {
  const lock = { isLocked: workspace.lockedByKind !== null, isLockedByCaller: holdsLock(workspace, ctx.actor) }
  const decision = decideStateVersion(lock, await findTip(reader, workspace.id), next)
  if (decision.kind === 'refused') throw conflict(decision.detail)
}

const decodeState = ({ state, md5 }: CreateStateVersion): Buffer | undefined => {
  if (!state) return undefined
  const bytes = decodeBase64(state, 'state')
  const actual = createHash('md5').update(bytes).digest('hex')
  if (actual !== md5) throw invalid(`Md5 is that of other content: the md5 of the state is ${actual}`, 'md5')
  return bytes
}

const decodeOutputs = async ({ jsonStateOutputs }: CreateStateVersion): Promise<ParsedOutput[]> => {
  if (!jsonStateOutputs) return []
  try {
    return await inSlices(parseOutputs({ bytes: decodeBase64(jsonStateOutputs, 'json-state-outputs'), at: 0 }))
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('Json state outputs must be JSON, base64 encoded', 'json-state-outputs')
    throw error
  }
}

/** A run's token writes for its own run, whatever the body says. Throws INVALID for what is no run of the workspace. */
const runIdOf = async (
  { db, runs }: FinalizeDeps,
  { actor }: Ctx,
  workspaceId: string,
  { run }: CreateStateVersion,
): Promise<string | null> => {
  if (actor.kind === 'run') return actor.runId
  if (!run) return null
  if (isId(run) && (await runs.isRunOf(db, workspaceId, run))) return run
  throw new AppError('INVALID', 'Run must exist', { source: { pointer: '/data/relationships/run' } })
}

type Repeat = NewVersion & { runId: string | null; blob: StoredBlob; json: StoredBlob | undefined }

/** The snapshot under the same lock that this is a repetition of: its sender has not heard the answer. */
const findRepeated = async (
  reader: StateReader,
  workspaceId: string,
  { serial, isForced, runId, blob, json }: Repeat,
): Promise<StateVersion | undefined> => {
  const tip = await findTip(reader, workspaceId)
  const isSame =
    tip?.isIntermediate === true &&
    !isForced &&
    tip.serial === serial &&
    tip.runId === runId &&
    tip.blobKey === blob.key &&
    tip.jsonBlobKey === (json?.key ?? null)
  return isSame ? tip : undefined
}

/**
 * A new version of the workspace's state: with its bytes at once, or pending until they are put to the upload URL. The bytes and their
 * outputs are stored before the row. Errors: NOT_FOUND, CONFLICT (lock, lineage, serial), INVALID (md5, base64).
 */
export const createStateVersion =
  (deps: FinalizeDeps) =>
  async (ctx: Ctx, workspaceId: string, input: CreateStateVersion): Promise<StateVersion> => {
    const { db, blobs, clock, envelope, limits } = deps
    const { row } = await findAllowed(deps, ctx, db, { id: workspaceId }, 'state:write')
    const next = { serial: input.serial, md5: input.md5, lineage: input.lineage ?? undefined, isForced: input.force === true }
    const runId = await runIdOf(deps, ctx, row.id, input)
    // asked twice: here to store nothing for an upload that is refused anyway, below for good
    await checkConflicts(db, ctx, row, next)
    const bytes = decodeState(input)
    const outputs = await decodeOutputs(input)
    const stored = bytes === undefined ? undefined : await storeState(deps, bytes)
    const json = input.jsonState ? await blobs.put(chunks(decodeBase64(input.jsonState, 'json-state')), limits) : undefined
    const id = newId('sv')
    const outputRows = sealOutputs(envelope, id, outputs)

    return db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, row.id)
      if (workspace === undefined) throw notFound()
      await checkConflicts(tx, ctx, workspace, next)
      const repeated = stored === undefined ? undefined : await findRepeated(tx, workspace.id, { ...next, runId, json, blob: stored.blob })
      if (repeated !== undefined) return repeated
      const pending = await insertStateVersion(tx, {
        id,
        workspaceId: workspace.id,
        runId,
        createdByUserId: ctx.actor.kind === 'user' ? ctx.actor.userId : null,
        serial: next.serial,
        lineage: next.lineage ?? '',
        md5: next.md5,
        status: 'pending',
        isIntermediate: true,
        areResourcesProcessed: false,
        createdAt: clock.now(),
      })
      await insertOutputs(tx, outputRows)
      const version = json === undefined ? pending : await updateStateVersion(tx, id, { jsonBlobKey: json.key })
      return stored === undefined ? version : finalizeStateVersion(deps, tx, workspace, version, stored)
    })
  }
