import { z } from 'zod'
import { resourceType } from '../api/index.ts'
import { runStatuses } from './statuses.ts'

const flag = z.boolean()
/** By key, e.g. `planned-at`. */
const statusTimestamps = z.record(z.string(), z.iso.datetime({ offset: true }))
const addresses = z.array(z.string()).nullable()

export const runType = resourceType('runs', {
  attributes: z.object({
    actions: z.object({ 'is-cancelable': flag, 'is-confirmable': flag, 'is-discardable': flag, 'is-force-cancelable': flag }),
    'allow-config-generation': flag,
    'allow-empty-apply': flag,
    'auto-apply': flag,
    'canceled-at': z.date().nullable(),
    'created-at': z.date(),
    'debugging-mode': flag,
    engine: z.enum(['terraform', 'tofu']),
    'force-cancel-available-at': z.date().optional(),
    'has-changes': flag,
    'invoke-action-addrs': addresses,
    'is-destroy': flag,
    message: z.string(),
    permissions: z.object({
      'can-apply': flag,
      'can-cancel': flag,
      'can-comment': flag,
      'can-discard': flag,
      'can-force-cancel': flag,
      'can-force-execute': flag,
      'can-override-policy-check': flag,
    }),
    'plan-only': flag,
    'policy-paths': addresses,
    'position-in-queue': z.int(),
    refresh: flag,
    'refresh-only': flag,
    'replace-addrs': addresses,
    'save-plan': flag,
    source: z.string(),
    status: z.enum(runStatuses),
    'status-timestamps': statusTimestamps,
    'target-addrs': addresses,
    'terraform-version': z.string(),
    'trigger-reason': z.string(),
    'updated-at': z.date(),
    variables: z.array(z.object({ key: z.string(), value: z.string() })),
    'waiting-reason': z.string().nullable(),
  }),
  relationships: {
    workspace: { one: 'workspaces' },
    plan: { one: 'plans' },
    apply: { one: 'applies' },
    'configuration-version': { one: 'configuration-versions' },
    'created-by': { one: 'users' },
    'confirmed-by': { one: 'users' },
    'run-events': { many: 'run-events' },
    comments: { many: 'comments' },
    'policy-checks': { many: 'policy-checks' },
    'task-stages': { many: 'task-stages' },
    'input-state-version': { one: 'state-versions' },
  },
})

const count = z.int().nullable()

const phase = {
  'execution-details': z.object({ mode: z.string() }),
  'log-read-url': z.string(),
  'resource-additions': count,
  'resource-changes': count,
  'resource-destructions': count,
  'resource-imports': count,
  status: z.enum(['pending', 'queued', 'running', 'finished', 'errored', 'canceled', 'unreachable']),
  'status-timestamps': statusTimestamps,
}

export const planType = resourceType('plans', {
  attributes: z.object({ ...phase, 'generated-configuration': flag, 'has-changes': flag }),
  relationships: { 'state-versions': { many: 'state-versions' }, exports: { many: 'plan-exports' } },
})

export const applyType = resourceType('applies', {
  attributes: z.object(phase),
  relationships: { 'state-versions': { many: 'state-versions' } },
})

export const configurationVersionType = resourceType('configuration-versions', {
  attributes: z.object({
    'auto-queue-runs': flag,
    error: z.string().nullable(),
    'error-message': z.string().nullable(),
    provisional: flag,
    source: z.string(),
    speculative: flag,
    status: z.enum(['pending', 'uploaded', 'errored', 'archived', 'backing_data_soft_deleted', 'backing_data_permanently_deleted']),
    'status-timestamps': statusTimestamps,
    'upload-url': z.string().nullable(),
  }),
  relationships: { 'ingress-attributes': { one: 'ingress-attributes' } },
})

export const runEventType = resourceType('run-events', {
  attributes: z.object({ action: z.string(), description: z.string().nullable(), 'created-at': z.date() }),
  relationships: { run: { one: 'runs' }, actor: { one: 'users' }, comment: { one: 'comments' } },
})

export const commentType = resourceType('comments', {
  attributes: z.object({ body: z.string(), 'created-at': z.date() }),
  relationships: { author: { one: 'users' }, run: { one: 'runs' }, 'run-event': { one: 'run-events' } },
})
