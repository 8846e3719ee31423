/** Text of a log as the API answers it, without its two markers. Throws when one is missing: the log has not ended. */
export const logText = (log: string): string => {
  if (!log.startsWith('\u0002') || !log.endsWith('\u0003'))
    throw new Error(`the log has no begin or no end: ${JSON.stringify(log.slice(0, 100))} … ${JSON.stringify(log.slice(-100))}`)
  return log.slice(1, -1)
}

/** What provisioners printed, in order, out of a log of JSON lines. */
export const provisionerLines = (log: string): string[] =>
  logText(log)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    // Terraform's machine-readable lines, of which only these two fields are read.
    .map((line) => JSON.parse(line) as { type: string; hook?: { output?: string } })
    .filter(({ type, hook }) => type === 'provision_progress' && hook?.output?.startsWith('Executing:') === false)
    .map(({ hook }) => hook?.output ?? '')
