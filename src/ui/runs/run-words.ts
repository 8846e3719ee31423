import type { RunRow } from '../../runs/index.ts'

/** Where a run comes from. */
export const sourceOf = ({ source }: Pick<RunRow, 'source'>): string => {
  switch (source) {
    case 'terraform+cloud':
    case 'terraform':
      return 'the terraform CLI'
    case 'tfe-ui':
      return 'this page'
    case 'tfe-api':
      return 'the API'
    default:
      return source
  }
}

/** What a run is meant to do. */
export const kindOf = (run: Pick<RunRow, 'isDestroy' | 'isRefreshOnly' | 'isSavePlan' | 'isPlanOnly'>): string => {
  if (run.isDestroy) return run.isPlanOnly ? 'Destroy plan' : 'Destroy'
  if (run.isRefreshOnly) return run.isPlanOnly ? 'Refresh plan' : 'Refresh only'
  if (run.isSavePlan) return 'Saved plan'
  return run.isPlanOnly ? 'Plan only' : 'Plan and apply'
}
