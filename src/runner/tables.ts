import type { Kit } from '../platform/db/kit.ts'
import type { RunTables } from '../runs/tables.ts'
import type { RunnerRef } from './controller/placement.ts'
import type { BlobKind } from './gen/runner/v1/runner.ts'

/** The part of a step's result that later steps and the end of the phase need. */
export type StepSummary = {
  outcome: 'succeeded' | 'failed' | 'canceled' | 'timed-out'
  hasChanges: boolean
  hasGeneratedConfig: boolean
  /** Of a shown plan: providers whose schemas its readers need. */
  providers?: string[]
  counts: { add: number; change: number; remove: number; import: number } | null
  errors: string[]
  /** What the step left; absent in what a runner of an earlier version answered. */
  artifacts?: { kind: BlobKind; sha256: string }[]
}

export type RunnerJobStatus = 'pending' | 'starting' | 'running' | 'finishing' | 'done' | 'lost'

export const runnerTables = (k: Kit, ref: Pick<RunTables, 'runs'>) => ({
  certificateAuthorities: k.table(
    'certificate_authorities',
    {
      id: k.text('id').notNull(),
      /** `runners` for the runners' certificates, `server` for the API's own TLS. */
      purpose: k.text('purpose').notNull(),
      status: k.text('status').notNull(),
      certificatePem: k.text('certificate_pem').notNull(),
      privateKeySealed: k.bytes('private_key_sealed').notNull(),
      notBefore: k.time('not_before').notNull(),
      notAfter: k.time('not_after').notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'certificate_authorities_pk', columns: [t.id] }),
      k.uniqueIndex('certificate_authorities_status_key').on(t.purpose, t.status),
    ],
  ),
  /** `providers schema` of an engine with a lock file: the same for every plan that needs no other providers. */
  providerSchemas: k.table(
    'provider_schemas',
    {
      /** Engine version and key of the lock file. */
      key: k.text('key').notNull(),
      providers: k.json<string[]>('providers').notNull(),
      blobKey: k.text('blob_key').notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [k.primaryKey({ name: 'provider_schemas_pk', columns: [t.key] })],
  ),
  /** One phase of one run as work for a runner. The epoch fences: every write of a controller carries it. */
  runnerJobs: k.table(
    'runner_jobs',
    {
      id: k.text('id').notNull(),
      runId: k.text('run_id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      phaseId: k.text('phase_id').notNull(),
      phase: k.text('phase').$type<'plan' | 'apply'>().notNull(),
      status: k.text('status').$type<RunnerJobStatus>().notNull(),
      /** Lower goes first: 0 apply, 1 plan, 2 speculative. */
      priority: k.int('priority').notNull(),
      epoch: k.int('epoch').notNull(),
      attempt: k.int('attempt').notNull(),
      owner: k.text('owner'),
      leaseUntil: k.time('lease_until'),
      deadline: k.time('deadline'),
      runnerRef: k.json<RunnerRef>('runner_ref'),
      /** Name of the step under way and the last event of it that was committed, for Attach after a restart. */
      step: k.text('step'),
      stepSeq: k.int('step_seq').notNull(),
      lastStateSeq: k.int('last_state_seq').notNull(),
      /** What finished steps answered, by step; small. */
      results: k.json<Record<string, StepSummary>>('results').notNull(),
      /** Resources that the engine has begun and not finished, by address: what was in flight when a runner is lost. */
      inFlight: k.json<Record<string, string>>('in_flight').notNull(),
      cancelMode: k.text('cancel_mode').$type<'interrupt' | 'kill'>(),
      createdAt: k.time('created_at').notNull(),
      finishedAt: k.time('finished_at'),
    },
    (t) => [
      k.primaryKey({ name: 'runner_jobs_pk', columns: [t.id] }),
      k.uniqueIndex('runner_jobs_phase_key').on(t.phaseId),
      k.index('runner_jobs_status_idx').on(t.status, t.priority, t.createdAt),
      k.index('runner_jobs_run_idx').on(t.runId),
      k.foreignKey({ name: 'runner_jobs_run_fk', columns: [t.runId], foreignColumns: [ref.runs.id] }).onDelete('cascade'),
    ],
  ),
})

export type RunnerTables = ReturnType<typeof runnerTables>
