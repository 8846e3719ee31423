export type StateIdentity = { lineage: string; serial: number }

/**
 * Lineage and serial of a state file; undefined for anything that is not a whole one. The engine truncates the file and
 * then writes it, so a reader meets empty and half files.
 */
export const parseState = (text: string): StateIdentity | undefined => {
  if (!text.trimEnd().endsWith('}')) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || !('lineage' in parsed) || !('serial' in parsed)) return undefined
  const { lineage, serial } = parsed
  return typeof lineage === 'string' && typeof serial === 'number' ? { lineage, serial } : undefined
}
