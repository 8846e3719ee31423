import { z } from 'zod'
import { resourceType } from '../api/index.ts'

const url = z.string().nullable()
/** By module or provider, then by type of resource. */
const counts = z.record(z.string(), z.record(z.string(), z.int())).nullable()

export const stateVersionType = resourceType('state-versions', {
  attributes: z.object({
    'created-at': z.date(),
    serial: z.int(),
    size: z.int().nullable(),
    status: z.enum(['pending', 'finalized', 'discarded', 'backing_data_soft_deleted', 'backing_data_permanently_deleted']),
    intermediate: z.boolean(),
    'hosted-state-download-url': url,
    'hosted-state-upload-url': url,
    'hosted-json-state-download-url': url,
    'hosted-json-state-upload-url': url,
    'encrypted-state-download-url': url,
    'sanitized-state-upload-url': url,
    'sanitized-state-download-url': url,
    'resources-processed': z.boolean(),
    'state-version': z.int().nullable(),
    'terraform-version': z.string().nullable(),
    'billable-rum-count': z.int().nullable(),
    modules: counts,
    providers: counts,
    resources: z
      .array(z.object({ name: z.string(), type: z.string(), count: z.int(), module: z.string(), provider: z.string() }))
      .nullable(),
    'vcs-commit-sha': z.null(),
    'vcs-commit-url': z.null(),
  }),
  relationships: {
    run: { one: 'runs' },
    'created-by': { one: 'users' },
    workspace: { one: 'workspaces' },
    outputs: { many: 'state-version-outputs' },
  },
})

const output = {
  name: z.string(),
  sensitive: z.boolean(),
  /** Any JSON value; null where the caller may not see it. */
  value: z.unknown(),
  /** Terraform's type expression as JSON. */
  'detailed-type': z.unknown(),
}

export const outputType = resourceType('state-version-outputs', { attributes: z.object({ ...output, type: z.string() }) })

export const workspaceOutputType = resourceType('workspace-outputs', { attributes: z.object({ ...output, 'output-type': z.string() }) })

export const workspaceResourceType = resourceType('resources', {
  attributes: z.object({
    address: z.string(),
    name: z.string(),
    module: z.string(),
    provider: z.string(),
    'provider-type': z.string(),
    'name-index': z.string().nullable(),
    'created-at': z.iso.date(),
    'updated-at': z.iso.date(),
    'modified-by-state-version-id': z.string(),
  }),
})
