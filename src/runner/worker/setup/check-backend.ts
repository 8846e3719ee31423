import { join } from 'node:path'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import { readJobFile } from '../files/read-job-file.ts'
import type { Isolation } from '../options.ts'
import type { RunPaths } from '../run-directory.ts'
import { StepError } from '../step-error.ts'

/** After init: the backend in force must be ours, whatever the configuration contains. Throws StepError `CONFIG_INVALID`. */
export const checkBackend = (directory: string, { stateFile, workspaces }: RunPaths, isolation: Isolation | undefined): void => {
  const text = readJobFile(join(directory, '.terraform', 'terraform.tfstate'), isolation)
  const backend = text === undefined ? undefined : backendOf(text)
  if (backend?.type === 'local' && backend.path === stateFile && backend.workspaces === workspaces) return
  throw new StepError(
    ErrorCode.CONFIG_INVALID,
    'The configuration sets a backend in a way that cannot be replaced. Remove its backend or cloud block and backend arguments from TF_CLI_ARGS_init.',
  )
}

const backendOf = (text: string): { type: unknown; path: unknown; workspaces: unknown } | undefined => {
  try {
    const { backend } = JSON.parse(text) as { backend?: { type?: unknown; config?: { path?: unknown; workspace_dir?: unknown } } }
    return { type: backend?.type, path: backend?.config?.path, workspaces: backend?.config?.workspace_dir }
  } catch {
    return undefined
  }
}
