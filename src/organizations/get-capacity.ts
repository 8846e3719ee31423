import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'

export type Capacity = { organizationName: string; pending: number; running: number }

export const getCapacity =
  (d: OrganizationDeps, get: GetOrganization) =>
  async (ctx: Ctx, name: string): Promise<Capacity> => {
    const organization = await get(ctx, name)
    return { organizationName: organization.name, ...(await d.runCounts(organization.id)) }
  }
