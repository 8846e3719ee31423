const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** `2h`, `90m`, `1h30m`, `45s`, `1d` in milliseconds; undefined for anything else, and for nothing. */
export const parseDurationMs = (text: string): number | undefined => {
  const parts = /^(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/.exec(text.trim())
  if (parts === null) return undefined
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const ms = Number(days) * UNITS_MS.d + Number(hours) * UNITS_MS.h + Number(minutes) * UNITS_MS.m + Number(seconds) * UNITS_MS.s
  return ms === 0 ? undefined : ms
}
