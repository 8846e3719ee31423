const OURS = /^\/(app|oauth\/authorize)([/?]|$)/

/** The page of ours to go to after signing in; anything that leads elsewhere, or nowhere, means the start page. */
export const returnPath = (wanted: string | null | undefined): string => {
  if (!wanted || /[\\\s]/.test(wanted) || !wanted.startsWith('/')) return '/app'
  const here = 'http://here.invalid'
  const url = URL.canParse(wanted, here) ? new URL(wanted, here) : undefined
  if (url === undefined || url.origin !== here) return '/app'
  const path = url.pathname + url.search
  return OURS.test(path) && !path.startsWith('/app/_events/') ? path : '/app'
}
