import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fileIdentity } from '../file-identity.ts'
import {
  ApplyRequest,
  BlobKind,
  InitRequest,
  type Lease,
  Phase,
  PlanRequest,
  PrepareRequest,
  RebindRequest,
  ShowKind,
  ShowRequest,
  type StateAck,
  type StepEvent,
  StepOutcome,
} from '../gen/runner/v1/runner.ts'
import type { Runner } from '../runner.ts'
import { type RunPaths, runPaths } from '../worker/run-directory.ts'

const NOBODY = 'rehearsal'
const ENGINE_VERSION = '1.9.0'

/** Does what the runner expects of an engine, and is done at once. */
const engineFor = ({ stateFile, workspaces }: RunPaths): string => `#!/bin/sh
[ "$1" = show ] || echo '{"@level":"info","@message":"${NOBODY}","type":"version"}'
case "$1" in
init)
  mkdir -p .terraform
  echo '{"backend":{"type":"local","config":${JSON.stringify({ path: stateFile, workspace_dir: workspaces })}}}' > .terraform/terraform.tfstate
  ;;
plan)
  for argument; do case "$argument" in -out=*) echo plan > "\${argument#-out=}" ;; esac; done
  exit 2
  ;;
show) echo '{"format_version":"1.2","resource_changes":[{"provider_name":"${NOBODY}","change":{"actions":["create"],"after":{"a":1}}}]}' ;;
apply) echo '{"version":4,"serial":1,"lineage":"${NOBODY}","outputs":{},"resources":[]}' > '${stateFile}' ;;
esac
`

/**
 * A whole run on a fresh runner whose work root is `directory`: an empty configuration, and an engine that does nothing. False where that
 * engine cannot be run.
 */
export const playRun = async (runner: Runner, directory: string): Promise<boolean> => {
  const enginePath = join(directory, 'engine')
  await writeFile(enginePath, engineFor(runPaths(join(directory, NOBODY))), { mode: 0o700 })
  // Known, so it is not asked for its version.
  const engineFile = fileIdentity(await stat(enginePath, { bigint: true }))
  const deadlineUnixMs = Date.now() + 60_000
  const lease = { runId: NOBODY, phase: Phase.PLAN, epoch: 1 }
  await runner.handshake({
    protoMin: 1,
    protoMax: 1,
    installationId: NOBODY,
    controllerId: NOBODY,
    nowUnixMs: Date.now(),
    nonce: NOBODY,
  })
  await runner.acquireLease({ lease, deadlineUnixMs })
  const blobs = [{ kind: BlobKind.SLUG, bytes: gzipSync(Buffer.alloc(1024)) }]
  const request = { opId: 'prepare', enginePath, engineFile, engineVersion: ENGINE_VERSION, cliConfig: '\n', allowEmptyConfig: true, blobs }
  const isPlanned =
    (await succeeds(runner.prepare(PrepareRequest.fromPartial({ lease, ...request })))) &&
    (await succeeds(runner.init(InitRequest.fromPartial({ lease, opId: 'init' })))) &&
    (await succeeds(runner.plan(PlanRequest.fromPartial({ lease, opId: 'plan', refresh: true })))) &&
    (await succeeds(runner.show(ShowRequest.fromPartial({ lease, opId: 'show', kind: ShowKind.PLAN_JSON }))))
  if (!isPlanned) {
    await runner.shutdown({ lease, cleanup: true })
    return false
  }
  for (const kind of [BlobKind.PLAN, BlobKind.PLAN_JSON, BlobKind.SNAPSHOT]) for await (const _chunk of runner.download({ lease, kind }));
  const next = { runId: NOBODY, phase: Phase.APPLY, epoch: 2 }
  await runner.rebind(RebindRequest.fromPartial({ lease, next, deadlineUnixMs, cliConfig: '\n' }))
  const applying = succeeds(runner.apply(ApplyRequest.fromPartial({ lease: next, opId: 'apply' })))
  const [isApplied] = await Promise.all([applying, takeStates(runner, next)])
  await runner.shutdown({ lease: next, cleanup: true })
  return isApplied
}

const succeeds = async (events: AsyncIterable<StepEvent>): Promise<boolean> => {
  let outcome: StepOutcome | undefined
  for await (const { event } of events) if (event?.$case === 'result') outcome = event.value.outcome
  return outcome === StepOutcome.SUCCEEDED
}

const takeStates = async (runner: Runner, lease: Lease): Promise<void> => {
  let end = (_seq: number): void => undefined
  const isOver = new Promise<number>((resolve) => (end = resolve))
  const acks = async function* (): AsyncGenerator<StateAck> {
    yield { lease, seq: 0 }
    yield { lease, seq: await isOver }
  }
  for await (const { final, seq } of runner.stateStream(acks())) if (final) end(seq)
}
