import { AppError } from '../../platform/errors.ts'
import type { WorkspaceTx } from '../workspace.ts'
import { listTagsById } from './queries.ts'
import { readTagNames } from './read-tag-names.ts'

export type SentTag = { id?: string | undefined; attributes?: { name?: string | undefined } | undefined }

/** The names of tags that clients give by id or by name. Throws INVALID for an id that is none of the organization's, unless told to skip. */
export const namedTags = async (
  tx: WorkspaceTx,
  organizationId: string,
  sent: readonly SentTag[],
  unknownIds: 'refuse' | 'skip',
): Promise<string[]> => {
  const byId = await listTagsById(
    tx,
    organizationId,
    sent.flatMap(({ id }) => id ?? []),
  )
  const names = new Map(byId.map(({ id, name }) => [id, name]))
  return sent.flatMap((tag) => {
    if (tag.id === undefined) return readTagNames([tag]).map(({ key }) => key)
    const name = names.get(tag.id)
    if (name !== undefined) return name
    if (unknownIds === 'refuse') throw new AppError('INVALID', `The tag ${tag.id.slice(0, 100)} does not exist`)
    return []
  })
}
