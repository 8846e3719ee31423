import type { WorkspaceTables } from '../tables.ts'

export type TeamAccessRow = WorkspaceTables['teamWorkspaces']['$inferSelect']
