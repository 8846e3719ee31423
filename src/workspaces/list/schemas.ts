import { z } from 'zod'
import { commaList } from '../../api/index.ts'
import { workspaceSorts } from './filter.ts'

const text = z.string().max(200).optional()
/** Absent when nothing is in it: an empty filter filters nothing. */
const values = commaList
  .pipe(z.array(z.string()).max(100))
  .transform((list) => (list.length === 0 ? undefined : [...new Set(list)]))
  .optional()

export const ListWorkspacesQuery = z.object({
  'search[name]': text,
  'search[wildcard-name]': text,
  'search[tags]': values,
  'search[exclude-tags]': values,
  'filter[project][id]': values,
  'filter[current-run][status]': values,
  /** Creation, as nothing that happens meanwhile moves a workspace from a page not yet read to one that was. */
  sort: z.enum(workspaceSorts).default('created-at'),
})
