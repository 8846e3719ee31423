/** CHAOS_ALL=1 adds what takes minutes: a log of 200 MB, 50 runs at once, 300 runs in a row. */
export const isWhole = process.env['CHAOS_ALL'] === '1'
