/** The sha256 that a SHA256SUMS file gives for `name`; undefined when it gives none, or two different ones. */
export const findSum = (sums: string, name: string): string | undefined => {
  const found = new Set<string>()
  for (const line of sums.split('\n')) {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](\S+)\r?$/i.exec(line) ?? []
    if (sum !== undefined && file === name) found.add(sum.toLowerCase())
  }
  return found.size === 1 ? [...found][0] : undefined
}
