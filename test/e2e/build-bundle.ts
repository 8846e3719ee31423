import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The tests run what esbuild.mjs makes of the sources as they are, in a directory of this run; TERRANE_TEST_DIST names a bundle made before.
 * Below the root, where Node.js finds the native module.
 */
export const setup = (): (() => void) | undefined => {
  if (process.env['TERRANE_TEST_DIST'] !== undefined) return undefined
  mkdirSync(join(root, '.cache'), { recursive: true })
  const directory = mkdtempSync(join(root, '.cache', 'e2e-'))
  execFileSync(process.execPath, ['esbuild.mjs', '--outdir', directory], { cwd: root, stdio: 'inherit' })
  process.env['TERRANE_TEST_DIST'] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
