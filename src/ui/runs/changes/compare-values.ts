import { isDeepStrictEqual } from 'node:util'
import { type Masks, at, describeValue, isObject, trueKeys } from './describe-value.ts'
import type { PlannedChange } from './plan-document.ts'

/** One attribute of a resource. `after` and `before` are absent where there is nothing. */
export type AttributeChange = {
  name: string
  kind: 'add' | 'remove' | 'change'
  before?: string
  after?: string
  forcesReplacement: boolean
}

export type Comparison = { changes: AttributeChange[]; /** How many attributes stay as they are. */ unchanged: number }

/** What the planned change does to each attribute, in the order of the schema. Of objects only the members that change are told. */
export const compareValues = (change: PlannedChange): Comparison => {
  const masks = masksOf(change)
  const root = { path: [], before: change.before, after: change.after, was: masks.before, will: masks.after }
  const replaced = new Set((change.replace_paths ?? []).map(([first]) => String(first)))
  const found: AttributeChange[] = []
  let unchanged = 0
  for (const { path, before, after, was, will } of members(root)) {
    const compared = compare(before, after, was, will)
    if (compared !== undefined) found.push({ name: path.join('.'), ...compared, forcesReplacement: replaced.has(path[0] ?? '') })
    else if (isThere(before) || isThere(after)) unchanged++
  }
  return { changes: found, unchanged }
}

type Node = { path: string[]; before: unknown; after: unknown; was: Masks; will: Masks }

/** The attributes; those that are an object before and after are told member by member. */
const members = (node: Node): Node[] => {
  const before = isObject(node.before) ? node.before : {}
  const after = isObject(node.after) ? node.after : {}
  const names = [...new Set([...Object.keys(before), ...Object.keys(after), ...trueKeys(node.will.unknown)])]
  return names.flatMap((name) => {
    const child: Node = {
      path: [...node.path, name],
      before: before[name],
      after: after[name],
      was: at(node.was, name),
      will: at(node.will, name),
    }
    const isOpen =
      isObject(child.before) && isObject(child.after) && [child.was.sensitive, child.will.sensitive].every((mask) => mask !== true)
    return isOpen ? members(child) : [child]
  })
}

/** The change of an output, which is one value. Undefined when it stays. */
export const compareOutput = (change: PlannedChange): Omit<AttributeChange, 'name' | 'forcesReplacement'> | undefined => {
  const masks = masksOf(change)
  return compare(change.before, change.after, masks.before, masks.after)
}

const masksOf = (change: PlannedChange): { before: Masks; after: Masks } => ({
  before: { sensitive: change.before_sensitive, unknown: undefined },
  after: { sensitive: change.after_sensitive, unknown: change.after_unknown },
})

const isThere = (value: unknown): boolean => value !== undefined && value !== null

const compare = (
  before: unknown,
  after: unknown,
  was: Masks,
  will: Masks,
): Omit<AttributeChange, 'name' | 'forcesReplacement'> | undefined => {
  const isUnknown = will.unknown !== undefined && will.unknown !== false && hasTrue(will.unknown)
  const isNew = !isThere(before)
  const isGone = !isThere(after) && !isUnknown
  if (isNew && isGone) return undefined
  if (!isUnknown && isDeepStrictEqual(before, after) && isDeepStrictEqual(marks(was.sensitive), marks(will.sensitive))) return undefined
  if (isNew) return { kind: 'add', after: describeValue(after, will) }
  if (isGone) return { kind: 'remove', before: describeValue(before, was) }
  return { kind: 'change', before: describeValue(before, was), after: describeValue(after, will) }
}

const hasTrue = (mask: unknown): boolean =>
  mask === true || (typeof mask === 'object' && mask !== null && Object.values(mask).some((each) => hasTrue(each)))

/** A mask without true in it is none. */
const marks = (mask: unknown): unknown => (hasTrue(mask) ? mask : undefined)
