import { type Resource, type SignedUrls, linkMany, linkOne } from '../api/index.ts'
import { stateVersionType } from './resource-types.ts'
import { isBackingDataDeleted } from './backing-data/decide-backing-data.ts'
import { urlTtlMs } from './signed-kinds.ts'
import type { StateVersionView } from './reads/with-outputs.ts'
import type { StateVersion } from './state-version.ts'

/** The one form of a state version: create, read and list answer the same. */
export const stateVersionResource =
  (signedUrls: Pick<SignedUrls, 'sign'>) =>
  ({ version, outputIds }: StateVersionView): Resource => {
    const path = `/api/v2/state-versions/${version.id}`
    return stateVersionType.of({
      id: version.id,
      attributes: {
        'created-at': version.createdAt,
        serial: version.serial,
        size: version.sizeBytes,
        status: version.status,
        intermediate: version.isIntermediate,
        ...urls(signedUrls, version),
        ...contents(version),
        'vcs-commit-sha': null,
        'vcs-commit-url': null,
      },
      relationships: {
        run: linkOne('runs', version.runId),
        'created-by': linkOne('users', version.createdByUserId),
        workspace: linkOne('workspaces', version.workspaceId),
        outputs: linkMany('state-version-outputs', outputIds, `${path}/outputs`),
      },
      links: { self: path },
    })
  }

const urls = ({ sign }: Pick<SignedUrls, 'sign'>, { id, status, blobKey, jsonBlobKey }: StateVersion) => {
  const isPending = status === 'pending'
  const isDeleted = isBackingDataDeleted(status)
  return {
    'hosted-state-download-url': blobKey === null || isDeleted ? null : sign('state', id, urlTtlMs),
    'hosted-state-upload-url': isPending ? sign('state-upload', id, urlTtlMs) : null,
    'hosted-json-state-download-url': jsonBlobKey === null || isDeleted ? null : sign('json-state', id, urlTtlMs),
    'hosted-json-state-upload-url': isPending && jsonBlobKey === null ? sign('json-state-upload', id, urlTtlMs) : null,
    'encrypted-state-download-url': null,
    'sanitized-state-upload-url': null,
    'sanitized-state-download-url': null,
  }
}

const contents = (version: StateVersion) => ({
  'resources-processed': version.areResourcesProcessed,
  'state-version': version.formatVersion,
  'terraform-version': version.terraformVersion,
  'billable-rum-count': version.billableCount,
  modules: version.modules,
  providers: version.providers,
  resources: version.resources?.map(({ name, type, count, module, provider }) => ({ name, type, count, module, provider })) ?? null,
})
