import type { Kit } from './kit.ts'

/** Tables of the platform itself; no domain in them. */
export const platformTables = (k: Kit) => ({
  /** Facts of the installation: its id, the check value of the installation key. */
  installation: k.table('installation', { key: k.text('key').notNull(), value: k.text('value').notNull() }, (t) => [
    k.primaryKey({ name: 'installation_pk', columns: [t.key] }),
  ]),
  /** Outbox: written in the transaction of the change; ids, versions and small scalars only. */
  events: k.table(
    'events',
    {
      id: k.text('id').notNull(),
      /** Order of writing; unique per database, may have gaps. Filled by the emitter from a counter row, see outbox/emit.ts. */
      sequence: k.int('sequence').notNull(),
      type: k.text('type').notNull(),
      organizationId: k.text('organization_id'),
      subject: k.text('subject').notNull(),
      version: k.int('version').notNull(),
      payload: k.json<Record<string, string | number | boolean | null>>('payload').notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'events_pk', columns: [t.id] }),
      k.uniqueIndex('events_sequence_key').on(t.sequence),
      k.index('events_subject_idx').on(t.subject),
    ],
  ),
  /** Position of each durable consumer of events, and of the event counter itself (name `events`). */
  eventCursors: k.table('event_cursors', { name: k.text('name').notNull(), sequence: k.int('sequence').notNull() }, (t) => [
    k.primaryKey({ name: 'event_cursors_pk', columns: [t.name] }),
  ]),
  jobs: k.table(
    'jobs',
    {
      id: k.text('id').notNull(),
      queue: k.text('queue').notNull(),
      /** Unique among open jobs of the queue; null when any number may be open. Set to null when the job ends. */
      openKey: k.text('open_key'),
      payload: k.json<Record<string, string | number | boolean | null>>('payload').notNull(),
      status: k.text('status').notNull(),
      runAt: k.time('run_at').notNull(),
      attempts: k.int('attempts').notNull(),
      maxAttempts: k.int('max_attempts').notNull(),
      leaseUntil: k.time('lease_until'),
      owner: k.text('owner'),
      lastError: k.text('last_error'),
      createdAt: k.time('created_at').notNull(),
      finishedAt: k.time('finished_at'),
    },
    (t) => [
      k.primaryKey({ name: 'jobs_pk', columns: [t.id] }),
      k.uniqueIndex('jobs_open_key').on(t.queue, t.openKey),
      k.index('jobs_due_idx').on(t.status, t.queue, t.runAt),
    ],
  ),
  leases: k.table(
    'leases',
    { name: k.text('name').notNull(), owner: k.text('owner').notNull(), until: k.time('until').notNull(), epoch: k.int('epoch').notNull() },
    (t) => [k.primaryKey({ name: 'leases_pk', columns: [t.name] })],
  ),
})

export type PlatformTables = ReturnType<typeof platformTables>
