import { findUsername } from '../queries.ts'
import type { LockedBy, WorkspaceReader } from '../workspace.ts'

/** `The workspace is locked by User alice`: clients look for `is locked by User`, `… by Team`, `… by Run`. */
export const describeLock = async (reader: WorkspaceReader, { kind, id }: LockedBy): Promise<string> => {
  if (kind === 'run') return `The workspace is locked by Run ${id}`
  if (kind === 'team') return `The workspace is locked by Team ${id}`
  return `The workspace is locked by User ${(await findUsername(reader, id)) ?? id}`
}
