import { changeBackingData } from './backing-data/change-backing-data.ts'
import { getCurrentStateVersion, getStateVersion } from './reads/get-state-version.ts'
import { getOutput, listCurrentOutputs, listOutputs } from './reads/list-outputs.ts'
import { listStateVersions } from './reads/list-state-versions.ts'
import { listWorkspaceResources } from './reads/list-workspace-resources.ts'
import { openDownload } from './reads/open-download.ts'
import { createStateVersion } from './uploads/create-state-version.ts'
import type { FinalizeDeps } from './uploads/finalize-state-version.ts'
import { rollBackState } from './uploads/roll-back-state.ts'
import { uploadJsonState } from './uploads/upload-json-state.ts'
import { uploadState } from './uploads/upload-state.ts'

export type StateVerbs = ReturnType<typeof makeVerbs>

/** What people and programs can do with state versions; rights are checked inside, but for uploads and downloads by signed URL. */
export const makeVerbs = (deps: FinalizeDeps) => ({
  create: createStateVersion(deps),
  rollBack: rollBackState(deps),
  list: listStateVersions(deps),
  get: getStateVersion(deps),
  getCurrent: getCurrentStateVersion(deps),
  listOutputs: listOutputs(deps),
  listCurrentOutputs: listCurrentOutputs(deps),
  getOutput: getOutput(deps),
  listResources: listWorkspaceResources(deps),
  upload: uploadState(deps),
  uploadJson: uploadJsonState(deps),
  openDownload: openDownload(deps),
  changeBackingData: changeBackingData(deps),
})
