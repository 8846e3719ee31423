import { AppError } from '../../platform/errors.ts'

export type Tagged = { key: string; value?: string | undefined }

const PARAMETER = /^filter\[tagged\]\[(\d{1,4})\]\[(key|value)\]$/
const MAX_TAGGED = 50

/** `filter[tagged][N][key]` and `…[value]` of a query string; an entry without a key is ignored. Throws BAD_REQUEST for too many. */
export const parseTagged = (url: string): Tagged[] => {
  const mark = url.indexOf('?')
  if (mark < 0) return []
  const entries = new Map<string, { key?: string; value?: string }>()
  for (const [name, text] of new URLSearchParams(url.slice(mark + 1))) {
    const [, index = '', part] = PARAMETER.exec(name) ?? []
    if (part !== 'key' && part !== 'value') continue
    entries.set(index, { ...entries.get(index), [part]: text })
  }
  if (entries.size > MAX_TAGGED) throw new AppError('BAD_REQUEST', `Give at most ${MAX_TAGGED} tag filters`)
  return [...entries.values()].flatMap(({ key, value }) => (key === undefined ? [] : { key, value: value === '' ? undefined : value }))
}
