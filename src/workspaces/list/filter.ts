import type { Tagged } from '../../organizations/index.ts'

/** What narrows a list of workspaces; all parts must hold. Lists of values are alternatives, unless said otherwise. */
export type WorkspaceFilter = {
  /** Part of the name, any case. */
  name?: string | undefined
  /** Name with `*` for any text. */
  wildcardName?: string | undefined
  /** All of these keys. */
  tags?: readonly string[] | undefined
  /** None of these keys. */
  excludeTags?: readonly string[] | undefined
  projectIds?: readonly string[] | undefined
  currentRunStatuses?: readonly string[] | undefined
  /** All of these, of the workspace or inherited; without a value any value will do. */
  tagged?: readonly Tagged[] | undefined
}

export const workspaceSorts = [
  'created-at',
  'name',
  '-name',
  'current-run.created-at',
  '-current-run.created-at',
  'latest-change-at',
  '-latest-change-at',
] as const

export type WorkspaceSort = (typeof workspaceSorts)[number]

/** Which workspaces the actor may see at all. */
export type Visible = 'all' | readonly string[]
