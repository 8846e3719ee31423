import { chunks } from '../../platform/blobs/chunks.ts'
import { analyseState } from '../parse/analyse-state.ts'
import type { StateDeps } from '../state-version.ts'
import type { StoredState } from './finalize-state-version.ts'

/** Makes the bytes durable and, when they are few, looks into them. For what happens before the transaction. */
export const storeState = async ({ blobs, limits }: Pick<StateDeps, 'blobs' | 'limits'>, ...parts: Buffer[]): Promise<StoredState> => {
  const blob = await blobs.put(chunks(...parts), { maxBytes: limits.maxBytes })
  return { blob, analysis: blob.bytes <= limits.processAtOnceBytes ? await analyseState(Buffer.concat(parts)) : undefined }
}
