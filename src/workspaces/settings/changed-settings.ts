import { isDeepStrictEqual } from 'node:util'
import type { Settings } from './decide-settings.ts'

/** Only the settings that differ. */
export const changedSettings = (before: Settings, after: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(value, before[key as keyof Settings])),
  ) as Partial<Settings>
