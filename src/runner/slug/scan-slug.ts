import { type SlugLimits, slugLimits } from './limits.ts'
import { readSlug, type SlugStats } from './read-slug.ts'

/**
 * Checks a configuration archive without writing anything; streams, memory stays flat. Answers its figures.
 * Throws RunnerError `BAD_SLUG` (text names entry and rule) or `SLUG_TOO_LARGE`; errors of `source` pass through.
 */
export const scanSlug = async (source: AsyncIterable<Uint8Array>, limits: SlugLimits = slugLimits): Promise<SlugStats> => {
  const entries = readSlug(source, limits)
  for (;;) {
    const next = await entries.next()
    if (next.done === true) return next.value
  }
}
