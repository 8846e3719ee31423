import { type AttributeChange, type Comparison, compareOutput, compareValues } from './compare-values.ts'
import type { PlanDocument, PlannedResource } from './plan-document.ts'

export type Action = 'create' | 'update' | 'replace' | 'delete' | 'read' | 'import' | 'move' | 'forget'

export type ResourceChange = Comparison & { address: string; action: Action; note: string | undefined }
export type OutputChange = { name: string } & Omit<AttributeChange, 'name' | 'forcesReplacement'>

export type PlanSummary = {
  resources: ResourceChange[]
  /** Resources that change but are not among `resources`, because there are too many. */
  omitted: number
  outputs: OutputChange[]
  /** What was changed outside of terraform. */
  drift: ResourceChange[]
}

const MAX_RESOURCES = 500

/** What a plan does, ready to be shown. Comparing values is left out for what is not shown. */
export const summarizePlan = (plan: PlanDocument): PlanSummary => {
  const changing = plan.resource_changes.flatMap(withAction)
  return {
    resources: changing.slice(0, MAX_RESOURCES).map(describe),
    omitted: Math.max(0, changing.length - MAX_RESOURCES),
    outputs: Object.entries(plan.output_changes).flatMap(([name, change]) => {
      const compared = compareOutput(change)
      return compared === undefined ? [] : [{ name, ...compared }]
    }),
    drift: plan.resource_drift.flatMap(withAction).slice(0, MAX_RESOURCES).map(describe),
  }
}

const withAction = (resource: PlannedResource): { resource: PlannedResource; action: Action }[] => {
  const action = actionOf(resource)
  return action === undefined ? [] : [{ resource, action }]
}

const actionOf = ({ change, previous_address: previous, address }: PlannedResource): Action | undefined => {
  const { actions } = change
  if (actions.includes('create') && actions.includes('delete')) return 'replace'
  for (const action of ['create', 'delete', 'update', 'read', 'forget'] as const) if (actions.includes(action)) return action
  if (change.importing !== undefined && change.importing !== null) return 'import'
  return previous !== undefined && previous !== address ? 'move' : undefined
}

const describe = ({ resource, action }: { resource: PlannedResource; action: Action }): ResourceChange => ({
  address: resource.deposed === undefined ? resource.address : `${resource.address} (deposed ${resource.deposed})`,
  action,
  note: noteOf(resource, action),
  ...compareValues(resource.change),
})

const reasons: Record<string, string> = {
  replace_because_tainted: 'is tainted',
  replace_because_cannot_update: 'cannot be updated in place',
  replace_by_request: 'was asked for with -replace',
  replace_by_triggers: 'is replaced with something it follows',
  delete_because_no_resource_config: 'is no longer in the configuration',
  delete_because_no_module: 'its module is no longer in the configuration',
  delete_because_wrong_repetition: 'count or for_each changed',
  delete_because_count_index: 'is beyond the count',
  delete_because_each_key: 'its key is no longer in for_each',
}

const noteOf = ({ previous_address: previous, address, action_reason: reason }: PlannedResource, action: Action): string | undefined => {
  if (previous !== undefined && previous !== address) return `moved from ${previous}`
  return action === 'import' ? 'will be imported' : reasons[reason ?? '']
}
