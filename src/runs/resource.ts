import { linkMany, linkOne, type Resource } from '../api/index.ts'
import type { RunDeps } from './deps.ts'
import type { RunView } from './describe-runs.ts'
import { applyType, commentType, configurationVersionType, planType, runEventType, runType } from './resource-types.ts'
import { isConfirmable, isDiscardable, isForceCancelable } from './run-machine.ts'
import type { Comment, ConfigurationVersionRow, PhaseRow, RunEventRow } from './run.ts'
import { isCancelable } from './statuses.ts'

const LOG_URL_MS = 25 * 3_600_000

export const runResource = ({
  run,
  events,
  comments,
  variables,
  positionInQueue,
  waiting,
  permissions,
  canCancel,
  now,
}: RunView): Resource =>
  runType.of({
    id: run.id,
    attributes: {
      actions: {
        'is-cancelable': isCancelable(run.status) && run.cancelRequestedAt === null,
        'is-confirmable': isConfirmable(run),
        'is-discardable': isDiscardable(run),
        'is-force-cancelable': isForceCancelable(run, now),
      },
      'allow-config-generation': run.allowConfigGeneration,
      'allow-empty-apply': run.allowEmptyApply,
      'auto-apply': run.autoApply,
      'canceled-at': run.canceledAt,
      'created-at': run.createdAt,
      'debugging-mode': run.isDebugging,
      ...(run.forceCancelAvailableAt === null ? {} : { 'force-cancel-available-at': run.forceCancelAvailableAt }),
      engine: run.engine,
      'has-changes': run.hasChanges,
      'invoke-action-addrs': run.invokeActionAddrs,
      'is-destroy': run.isDestroy,
      message: run.message,
      permissions: {
        'can-apply': permissions.has('run:apply'),
        'can-cancel': canCancel,
        'can-comment': permissions.has('run:comment'),
        'can-discard': permissions.has('run:apply'),
        'can-force-cancel': permissions.has('run:force-cancel'),
        'can-force-execute': permissions.has('run:force-execute'),
        'can-override-policy-check': false,
      },
      'plan-only': run.isPlanOnly,
      'policy-paths': run.policyPaths,
      'position-in-queue': positionInQueue,
      refresh: run.refresh,
      'refresh-only': run.isRefreshOnly,
      'replace-addrs': run.replaceAddrs,
      'save-plan': run.isSavePlan,
      source: run.source,
      status: run.status,
      'status-timestamps': run.statusTimestamps,
      'target-addrs': run.targetAddrs,
      'terraform-version': run.terraformVersion,
      'trigger-reason': run.triggerReason,
      'updated-at': run.updatedAt,
      variables,
      'waiting-reason': waiting ?? null,
    },
    relationships: {
      workspace: linkOne('workspaces', run.workspaceId),
      plan: linkOne('plans', run.planId),
      apply: linkOne('applies', run.applyId),
      'configuration-version': linkOne('configuration-versions', run.configurationVersionId),
      'created-by': linkOne('users', run.createdByUserId),
      'confirmed-by': linkOne('users', run.confirmedByUserId),
      'run-events': linkMany(
        'run-events',
        events.map((event) => event.id),
      ),
      comments: linkMany(
        'comments',
        comments.map((comment) => comment.id),
      ),
      'policy-checks': linkMany('policy-checks', []),
      'task-stages': linkMany('task-stages', []),
      'input-state-version': linkOne('state-versions', run.inputStateVersionId),
    },
    links: { self: `/api/v2/runs/${run.id}` },
  })

const phaseAttributes = (d: Pick<RunDeps, 'signedUrls'>, phase: PhaseRow) => ({
  'execution-details': { mode: 'remote' },
  'log-read-url': d.signedUrls.sign('log', phase.id, LOG_URL_MS),
  'resource-additions': phase.additions,
  'resource-changes': phase.changes,
  'resource-destructions': phase.destructions,
  'resource-imports': phase.imports,
  status: phase.status,
  'status-timestamps': phase.statusTimestamps,
})

export const planResource = (d: Pick<RunDeps, 'signedUrls'>, phase: PhaseRow, run: { hasChanges: boolean }): Resource =>
  planType.of({
    id: phase.id,
    attributes: { ...phaseAttributes(d, phase), 'generated-configuration': phase.hasGeneratedConfiguration, 'has-changes': run.hasChanges },
    relationships: { 'state-versions': linkMany('state-versions', []), exports: linkMany('plan-exports', []) },
    links: {
      self: `/api/v2/plans/${phase.id}`,
      'json-output': `/api/v2/plans/${phase.id}/json-output`,
      'json-output-redacted': `/api/v2/plans/${phase.id}/json-output-redacted`,
      'json-schema': `/api/v2/plans/${phase.id}/json-schema`,
    },
  })

export const applyResource = (d: Pick<RunDeps, 'signedUrls'>, phase: PhaseRow, stateVersionIds: string[]): Resource =>
  applyType.of({
    id: phase.id,
    attributes: phaseAttributes(d, phase),
    relationships: { 'state-versions': linkMany('state-versions', stateVersionIds) },
    links: { self: `/api/v2/applies/${phase.id}` },
  })

/** `uploadUrl` is shown by the answer to the creation only. */
export const configurationVersionResource = (row: ConfigurationVersionRow, uploadUrl: string | null = null): Resource =>
  configurationVersionType.of({
    id: row.id,
    attributes: {
      'auto-queue-runs': row.autoQueueRuns,
      error: row.error,
      'error-message': row.errorMessage,
      provisional: row.isProvisional,
      source: row.source,
      speculative: row.isSpeculative,
      status: row.status,
      'status-timestamps': row.statusTimestamps,
      'upload-url': uploadUrl,
    },
    relationships: { 'ingress-attributes': linkOne('ingress-attributes', null) },
    links: { self: `/api/v2/configuration-versions/${row.id}`, download: `/api/v2/configuration-versions/${row.id}/download` },
  })

export const runEventResource = (event: RunEventRow): Resource =>
  runEventType.of({
    id: event.id,
    attributes: { action: event.action, description: event.description, 'created-at': event.createdAt },
    relationships: {
      run: linkOne('runs', event.runId),
      actor: linkOne('users', event.actorUserId),
      comment: linkOne('comments', event.commentId),
    },
  })

export const commentResource = (comment: Comment): Resource =>
  commentType.of({
    id: comment.id,
    attributes: { body: comment.body, 'created-at': comment.createdAt },
    relationships: {
      author: linkOne('users', comment.authorUserId),
      run: linkOne('runs', comment.runId),
      'run-event': linkOne('run-events', comment.runEventId),
    },
    links: { self: `/api/v2/comments/${comment.id}` },
  })
