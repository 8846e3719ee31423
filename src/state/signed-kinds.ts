/** Upload and download URLs are valid for 25 hours, as clients are used to. */
export const urlTtlMs = 25 * 3_600_000
