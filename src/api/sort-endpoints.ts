import type { Endpoint } from './endpoint.ts'

/**
 * Order in which routes are tried: at the first differing segment a static one comes before a parameter. Throws when two
 * endpoints would answer the same requests.
 */
export const sortEndpoints = (endpoints: readonly Endpoint[]): Endpoint[] => {
  const ranked = endpoints.map((endpoint) => ({ endpoint, rank: rankOf(endpoint.path) }))
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
  const seen = new Set<string>()
  for (const { endpoint, rank } of ranked) {
    const key = `${endpoint.method} ${rank}`
    if (seen.has(key)) throw new Error(`two endpoints answer ${endpoint.method} ${endpoint.path}`)
    seen.add(key)
  }
  return ranked.map(({ endpoint }) => endpoint)
}

/** Parameters become a character that sorts after all others. */
const rankOf = (path: string): string => path.replaceAll(/:[^/]+/g, '\uffff')
