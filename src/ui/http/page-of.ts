import type { Page } from '../../api/index.ts'

/** The page that the address asks for by `?page=`; anything odd means the first. */
export const pageOf = (query: URLSearchParams, size = 30): Page => {
  const wanted = Number(query.get('page') ?? 1)
  const number = Number.isInteger(wanted) && wanted >= 1 && wanted <= 1_000_000 ? wanted : 1
  return { number, size, offset: (number - 1) * size, requested: true }
}
