import type { VariableFields, VariableRow } from '../workspaces/index.ts'
import type { SetVariableRow, VariableSetRow } from './variable-set.ts'

/** A set that reaches a workspace, and by which way. */
export type ReachingSet = {
  set: Pick<VariableSetRow, 'id' | 'name' | 'projectId' | 'isGlobal' | 'isPriority'>
  /** Applied to the workspace itself. */
  isOnWorkspace: boolean
  /** Applied to its project. */
  isOnProject: boolean
  variables: readonly SetVariableRow[]
}

export type EffectiveVariable = { row: VariableRow | SetVariableRow; /** Beats what is given to the run as well. */ isPriority: boolean }

const WORKSPACE_LEVEL = 6

/** Place in the order of precedence, 1 is the strongest (platform behaviour, precedence; run variables come between 5 and 6). */
const levelOf = ({ set, isOnWorkspace, isOnProject }: ReachingSet): number => {
  const levels = set.isPriority
    ? { global: 1, organization: { project: 2, workspace: 3 }, project: { project: 4, workspace: 5 } }
    : { global: 11, organization: { project: 10, workspace: 9 }, project: { project: 8, workspace: 7 } }
  if (set.isGlobal) return levels.global
  const ofOwner = set.projectId === null ? levels.organization : levels.project
  return Math.min(isOnProject ? ofOwner.project : Infinity, isOnWorkspace ? ofOwner.workspace : Infinity)
}

/** In the order of code points; JavaScript compares UTF-16 units. */
const byCodePoints = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/**
 * One variable for each key and category: the strongest one. Where two sets have the same level the first by name wins. The workspace's own
 * come first, each in the order given. Pure.
 */
export const effectiveVariables = (own: readonly VariableRow[], sets: readonly ReachingSet[]): EffectiveVariable[] => {
  const sources: { level: number; name: string; rows: readonly (VariableRow | SetVariableRow)[]; isPriority: boolean }[] = [
    { level: WORKSPACE_LEVEL, name: '', rows: own, isPriority: false },
    ...sets.map((reaching) => ({
      level: levelOf(reaching),
      name: reaching.set.name,
      rows: reaching.variables,
      isPriority: reaching.set.isPriority,
    })),
  ]
  sources.sort((one, other) => one.level - other.level || byCodePoints(one.name, other.name))
  const winners = new Map<string, EffectiveVariable>()
  for (const { rows, isPriority } of sources) {
    for (const row of rows) if (!winners.has(identityOf(row))) winners.set(identityOf(row), { row, isPriority })
  }
  const isOwn = ({ row }: EffectiveVariable): boolean => 'workspaceId' in row
  const all = [...winners.values()]
  return [...all.filter(isOwn), ...all.filter((variable) => !isOwn(variable))]
}

const identityOf = ({ category, key }: Pick<VariableFields, 'category' | 'key'>): string => `${category} ${key}`
