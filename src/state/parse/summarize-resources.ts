import type { StateResource } from '../tables.ts'
import type { ParsedResource } from './parse-resources.ts'
import type { ParsedState } from './parse-state.ts'

/** Made by Terraform itself, in no cloud: nobody counts them as resources under management. */
const NOT_BILLABLE = new Set(['null_resource', 'terraform_data'])

/** `module.a["x"].module.b` → `a["x"].b`; quoted keys are left alone. */
const modulePath = (address: string): string => address.replaceAll(/("(?:[^"\\]|\\.)*")|(^|\.)module\./g, (_, quoted, dot) => quoted ?? dot)

type Counts = Map<string, Map<string, number>>

const add = (counts: Counts, group: string, type: string, count: number): void => {
  const types = counts.get(group) ?? new Map<string, number>()
  counts.set(group, types.set(type, (types.get(type) ?? 0) + count))
}

const toRecord = (counts: Counts): Record<string, Record<string, number>> =>
  Object.fromEntries([...counts].map(([group, types]) => [group, Object.fromEntries(types)]))

type Summary = Pick<ParsedState, 'resources' | 'modules' | 'providers' | 'managedCount' | 'billableCount'>

/** Counts instances by module, by provider and by resource. Types are written as the API does: `null-resource`, `data.aws-ami`. */
export const summarizeResources = (parsed: readonly ParsedResource[]): Summary => {
  const resources: StateResource[] = []
  const modules: Counts = new Map()
  const providers: Counts = new Map()
  let managedCount = 0
  let billableCount = 0
  for (const { mode, type: bareType, name, module: address, provider, keys } of parsed) {
    const type = mode === 'data' ? `data.${bareType}` : bareType
    const module = address === undefined ? 'root' : modulePath(address)
    const count = keys.length
    add(modules, module, type.replaceAll('_', '-'), count)
    add(providers, provider, type.replaceAll('_', '-'), count)
    resources.push({ name, type, count, module, provider, keys })
    if (mode === 'data') continue
    managedCount += count
    if (!NOT_BILLABLE.has(bareType)) billableCount += count
  }
  return { resources, modules: toRecord(modules), providers: toRecord(providers), managedCount, billableCount }
}
