import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The tests run what esbuild.mjs makes of the sources as they are; TERRANE_TEST_DIST names a bundle made before. */
export const setup = (): void => {
  if (process.env['TERRANE_TEST_DIST'] !== undefined) return
  const directory = join(root, '.cache', 'e2e-dist')
  execFileSync(process.execPath, ['esbuild.mjs', '--outdir', directory], { cwd: root, stdio: 'inherit' })
  process.env['TERRANE_TEST_DIST'] = directory
}
