import type { JobRow } from './deps.ts'

/**
 * Sentences for a log: what the engine had begun and not finished. Empty when there was nothing. Pure. Such a resource may even be in the
 * state, as finished, though its provisioners are not: terraform writes it down before them, with the end of another resource.
 */
export const inFlightText = (when: string, inFlight: JobRow['inFlight']): string[] => {
  const addresses = Object.entries(inFlight).map(([address, action]) => `${address} (${action})`)
  return addresses.length === 0 ? [] : [`In flight when ${when}: ${addresses.join(', ')}. Check whether they exist and are complete.`]
}
