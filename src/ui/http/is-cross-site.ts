/**
 * Whether a browser says that the request comes from another site. What says nothing is no browser of today: forms of a session need its
 * token besides.
 */
export const isCrossSite = (header: (name: string) => string | undefined, publicUrl: string): boolean => {
  const site = header('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = header('origin')
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && !(URL.canParse(origin) && new URL(origin).host === header('host'))
}
