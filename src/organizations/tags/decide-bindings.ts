import { AppError } from '../../platform/errors.ts'

type Binding = { key: string; value: string }

/** Without a value: whatever value there is, or none for a new one. */
export type WantedBinding = { key: string; value?: string }

export type BindingChanges = { added: Binding[]; changed: Binding[]; removed: string[] }

/** Key/value tags of one workspace. */
export const bindingLimit = 10
/** Flat tags of one workspace: no limit is documented, but there has to be one. */
export const flatTagLimit = 100

/**
 * What has to change for the workspace to carry `wanted`: besides what it carries (`add`), or instead (`replace`: a missing value is an
 * empty one then). The last of several with one key counts. Throws INVALID when there are more than `limit` afterwards, and more than before.
 */
export const decideBindings = (
  existing: readonly Binding[],
  wanted: readonly WantedBinding[],
  mode: 'add' | 'replace',
  limit: number,
): BindingChanges => {
  const before = new Map(existing.map(({ key, value }) => [key, value]))
  const after = new Map(mode === 'add' ? before : [])
  for (const { key, value } of wanted) after.set(key, value ?? (mode === 'add' ? (after.get(key) ?? '') : ''))

  const entries = [...after].map(([key, value]) => ({ key, value }))
  if (entries.length > limit && entries.length > before.size) throw new AppError('INVALID', `cannot exceed ${limit} bindings per resource`)

  return {
    added: entries.filter(({ key }) => !before.has(key)),
    changed: entries.filter(({ key, value }) => before.has(key) && before.get(key) !== value),
    removed: [...before.keys()].filter((key) => !after.has(key)),
  }
}
