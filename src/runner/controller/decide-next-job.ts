/** Pending jobs of one workspace and one priority. */
export type WaitingJobs = { priority: number; organizationId: string; workspaceId: string; since: Date }
export type JobsAtWork = { organizationId: string; workspaceId: string; count: number }

/**
 * In which order workspaces get the next free runner: applies before plans before speculative plans; among them whoever has least at work, then
 * whoever was served longest ago, organizations before their workspaces; then who waits longest. So one organization with a thousand runs does
 * not keep another one waiting, nor one workspace the others. `servedAt` is any number that rises, by id of organization or workspace. Pure.
 */
export const orderOfService = (
  waiting: readonly WaitingJobs[],
  atWork: readonly JobsAtWork[],
  servedAt: ReadonlyMap<string, number>,
): WaitingJobs[] => {
  const busy = new Map<string, number>()
  for (const { organizationId, workspaceId, count } of atWork)
    for (const id of [organizationId, workspaceId]) busy.set(id, (busy.get(id) ?? 0) + count)
  const keysOf = ({ priority, organizationId, workspaceId, since }: WaitingJobs): number[] => [
    priority,
    busy.get(organizationId) ?? 0,
    servedAt.get(organizationId) ?? 0,
    busy.get(workspaceId) ?? 0,
    servedAt.get(workspaceId) ?? 0,
    since.getTime(),
  ]
  const compare = (one: readonly number[], other: readonly number[]): number =>
    one.map((key, index) => key - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0
  return waiting
    .map((jobs) => ({ jobs, keys: keysOf(jobs) }))
    .toSorted((one, other) => compare(one.keys, other.keys))
    .map(({ jobs }) => jobs)
}
