import * as z from 'zod'

/** The one message that binds a started worker to a phase; it comes on stdin, so that nothing of it is in argv, environment or a file. */
export const bootstrapSchema = z.strictObject({
  installationId: z.string().min(1),
  instanceId: z.string().min(1),
  workRoot: z.string().startsWith('/'),
  /** User and group of the engine's processes; absent: the worker's own. */
  isolation: z.strictObject({ uid: z.int().positive(), gid: z.int().positive() }).optional(),
  /** Path of setpriv, null where there is none that can be used; absent: the worker looks for it. */
  setpriv: z.string().nullish(),
  certificatePem: z.string().min(1),
  privateKeyPem: z.string().min(1),
  trustPem: z.array(z.string().min(1)).min(1),
  controllerUriPrefix: z.string().min(1),
  logLevel: z.string().default('info'),
  /** How long an engine may run on without its controller; absent: the worker's default. */
  orphanGraceMs: z.int().positive().optional(),
})

export type Bootstrap = z.input<typeof bootstrapSchema>

/** May come before, to a worker that has nothing to do yet: an identity that nobody trusts, to rehearse with (see rehearse.ts). */
export const rehearsalSchema = z.strictObject({
  rehearsal: z.strictObject({
    server: z.strictObject({ certificatePem: z.string(), privateKeyPem: z.string() }),
    client: z.strictObject({ certificatePem: z.string(), privateKeyPem: z.string() }),
    trustPem: z.string(),
    serverUri: z.string(),
    clientUri: z.string(),
  }),
})

export type Rehearsal = z.infer<typeof rehearsalSchema>['rehearsal']

/** The answer on stdout: one line. */
export const readySchema = z.strictObject({ port: z.int().min(1).max(65_535) })

export const BOOTSTRAP_LIMIT_BYTES = 256 * 1024
