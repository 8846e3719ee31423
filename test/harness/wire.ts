import { expect } from 'vitest'
import type { Exchange } from './recording-proxy.ts'

/**
 * Requests that are expected, as `wireLine` writes them: a line is that request once, after `? ` once or never, after `+ ` one or more
 * times in a row; a list is one or more requests of those in it, in any order.
 */
export type Step = string | readonly string[]

/**
 * `METHOD path?query STATUS`: without the prefix of the API; ids, organization and workspace names replaced by `:id`, `:org` and `:ws`;
 * of a signed URL only its kind; of the query of a log nothing.
 */
const wireLine = ({ method, url, status }: Exchange): string => {
  const { pathname, searchParams } = new URL(url, 'https://server.example')
  const signed = /^\/_objects\/([^/]+)\//.exec(pathname)?.[1]
  const path =
    signed ??
    pathname
      .replace(/^\/api\/v2\//, '')
      .replaceAll(/\b(run|plan|apply|ws|cv|sv|wsout|prj)-[A-Za-z0-9]{16}\b/g, ':id')
      .replace(/^organizations\/[^/]+/, 'organizations/:org')
      .replace(/^(organizations\/:org\/workspaces)\/[^/]+/, '$1/:ws')
  const query = [...searchParams].map(([key, value]) => `${key}=${value.replace(/^prj-\w+$/, ':id')}`).join('&')
  return `${method} ${path}${query === '' || signed === 'log' ? '' : `?${query}`} ${status}`
}

export const wireLines = (exchanges: Exchange[]): string[] => exchanges.map(wireLine)

/** The requests were those of `steps`, all of them and no other. */
export const expectWire = (exchanges: Exchange[], steps: readonly Step[]): void => {
  const lines = wireLines(exchanges)
  const pattern = new RegExp(`^${steps.map(patternOf).join('')}$`)
  // Compared once more for its message, which shows where they part.
  if (!pattern.test(lines.map((line) => `${line}\n`).join(''))) expect(lines).toEqual(steps)
}

const patternOf = (step: Step): string => {
  if (typeof step !== 'string') return `(?:${step.map(lineOf).join('|')})+`
  const [, mark = '', line = step] = /^([?+]) (.*)$/.exec(step) ?? []
  return `(?:${lineOf(line)})${mark}`
}

const lineOf = (line: string): string => `${line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\n`

/** The body of the first request of `method` whose path ends with `end`. */
export const bodyOf = (exchanges: Exchange[], method: string, end: string): unknown =>
  exchanges.find((each) => each.method === method && new URL(each.url, 'https://server.example').pathname.endsWith(end))?.body
