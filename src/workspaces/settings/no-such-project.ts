import { AppError } from '../../platform/errors.ts'

export const noSuchProject = (): AppError =>
  new AppError('INVALID', 'The project does not exist in this organization', { source: { pointer: '/data/relationships/project' } })
