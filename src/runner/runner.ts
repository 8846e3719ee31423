import type {
  ApplyRequest,
  AttachRequest,
  CancelReply,
  CancelRequest,
  Chunk,
  DownloadRequest,
  DriftRequest,
  HandshakeReply,
  HandshakeRequest,
  InitRequest,
  LeaseReply,
  LeaseRequest,
  OutputRequest,
  PlanRequest,
  PrepareRequest,
  RebindReply,
  RebindRequest,
  SchemasRequest,
  ShowRequest,
  ShutdownReply,
  ShutdownRequest,
  StateAck,
  StateSnapshot,
  StatusReply,
  StatusRequest,
  StepEvent,
  UploadFrame,
  UploadReply,
} from './gen/runner/v1/runner.ts'

/**
 * What a runner can do, whatever the transport: the worker implements it, the gRPC client implements it, and the
 * in-process transport is the worker itself. One conformance suite (test/contract/runner-transports) runs against all.
 * Streams are pulled: a consumer that does not read slows the producer down, nothing is buffered without bound.
 * Errors are RunnerError; a failed engine is no error but a StepResult.
 */
export interface Runner {
  handshake(request: HandshakeRequest): Promise<HandshakeReply>
  acquireLease(request: LeaseRequest): Promise<LeaseReply>
  upload(frames: AsyncIterable<UploadFrame>): Promise<UploadReply>
  download(request: DownloadRequest): AsyncIterable<Chunk>
  prepare(request: PrepareRequest): AsyncIterable<StepEvent>
  init(request: InitRequest): AsyncIterable<StepEvent>
  detectDrift(request: DriftRequest): AsyncIterable<StepEvent>
  plan(request: PlanRequest): AsyncIterable<StepEvent>
  apply(request: ApplyRequest): AsyncIterable<StepEvent>
  show(request: ShowRequest): AsyncIterable<StepEvent>
  output(request: OutputRequest): AsyncIterable<StepEvent>
  providerSchemas(request: SchemasRequest): AsyncIterable<StepEvent>
  attach(request: AttachRequest): AsyncIterable<StepEvent>
  stateStream(acks: AsyncIterable<StateAck>): AsyncIterable<StateSnapshot>
  cancel(request: CancelRequest): Promise<CancelReply>
  rebind(request: RebindRequest): Promise<RebindReply>
  status(request: StatusRequest): Promise<StatusReply>
  shutdown(request: ShutdownRequest): Promise<ShutdownReply>
}

export type RunnerErrorCode =
  | 'LEASE_FENCED'
  | 'OP_CONFLICT'
  | 'FAILED_PRECONDITION'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'BAD_SLUG'
  | 'SLUG_TOO_LARGE'
  | 'DISK_FULL'
  | 'RESOURCE_EXHAUSTED'
  | 'PEER_IDENTITY'
  | 'CLOCK_SKEW'
  | 'UNAVAILABLE'
  | 'DEADLINE'
  | 'INTERNAL'

/** Misuse, transport or identity. `UNAVAILABLE` and `DEADLINE` may pass; the others do not by repeating. */
export class RunnerError extends Error {
  readonly code: RunnerErrorCode
  constructor(code: RunnerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RunnerError'
    this.code = code
  }
}

/** Bytes of one chunk in any stream. */
export const CHUNK_BYTES = 256 * 1024

/** A blob of at most so many bytes travels within the message that tells of it. */
export const SMALL_BYTES = 64 * 1024
