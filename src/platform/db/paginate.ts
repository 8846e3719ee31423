/** One page of a list, as asked for: `number` from 1, `size` 1 to 100. */
export type PageRequest = { number: number; size: number }

export type Page<T> = { items: T[]; totalCount: number; page: PageRequest }

export const offsetOf = (page: PageRequest): number => (page.number - 1) * page.size
