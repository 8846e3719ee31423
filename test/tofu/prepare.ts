import { delimiter, dirname } from 'node:path'
import { hasGo } from '../conformance/go.ts'
import { buildTofu } from './build-tofu.ts'

/** Vitest's global set-up: tofu is on PATH, for the tests and for the servers that they start. */
export const setup = async (): Promise<void> => {
  if (!(await hasGo())) throw new Error('Go 1.26 or later is needed to compile OpenTofu, and is not on PATH.')
  process.env['PATH'] = [dirname(await buildTofu()), process.env['PATH'] ?? ''].join(delimiter)
}
