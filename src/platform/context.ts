import type { Log } from './log.ts'

/** Who acts. Every verb decides from this and from nothing else. */
export type Actor =
  /** `tokenId` is absent in a browser session. */
  | { kind: 'user'; userId: string; username: string; isSiteAdmin: boolean; tokenId?: string }
  | { kind: 'organization'; organizationId: string; tokenId: string }
  | { kind: 'team'; teamId: string; organizationId: string; tokenId: string }
  | { kind: 'run'; runId: string; workspaceId: string; organizationId: string; tokenId?: string }
  | { kind: 'system'; name: string }
  | { kind: 'anonymous' }

/** What the caller says about its software; never trusted for a decision about rights. */
export type Client = { terraformVersion?: string; integration?: string; userAgent?: string }

/** First argument of every verb. `signal` aborts when the caller goes away; `log` carries the request id. */
export type Ctx = { actor: Actor; requestId: string; signal: AbortSignal; log: Log; client: Client }
