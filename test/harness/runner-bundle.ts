import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { build } from 'esbuild'

const ENTRY = fileURLToPath(new URL('../../src/bin/terrane-runner.ts', import.meta.url))

/** Bundles the worker's program into `directory`; the answer starts it. Starts several times faster than through tsx. */
export const bundleRunner = async (directory: string): Promise<string[]> => {
  const outfile = join(directory, 'terrane-runner.mjs')
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return [process.execPath, outfile]
}
