// Builds dist/: `node esbuild.mjs [--outdir DIR]`. The bundles need Node.js and, for the server, the native better-sqlite3; nothing else.
import { execFile } from 'node:child_process'
import { build } from 'esbuild'
import { cp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { buildAssets } from './scripts/build-assets.mjs'

const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values

/** Libraries that come as CommonJS ask for these. */
const banner = {
  js: [
    "import { createRequire as terraneRequire } from 'node:module'",
    "import { fileURLToPath as terranePath } from 'node:url'",
    'const require = terraneRequire(import.meta.url)',
    "const __filename = terranePath(import.meta.url), __dirname = terranePath(new URL('.', import.meta.url))",
  ].join('\n'),
}

/** Takes the place of the last build when all of it is there. */
const partial = `${outdir}.partial`

const common = {
  outdir: partial,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  external: ['better-sqlite3', 'pg-native'],
}

/** Scripts, not modules: only those can be started from a code cache. gRPC loads files of protocols only for a service that we do not serve. */
const commonJs = {
  format: 'cjs',
  banner: {},
  outExtension: { '.js': '.cjs' },
  minifyWhitespace: true,
  minifySyntax: true,
  external: ['@grpc/proto-loader'],
}

await rm(partial, { recursive: true, force: true })
try {
  const [server, runner] = await Promise.all([
    build({ ...common, entryPoints: { terrane: 'src/bin/terrane.ts' }, splitting: true, chunkNames: 'terrane-[hash]' }),
    // One file without the libraries of the server, for machines that only run phases.
    build({ ...common, ...commonJs, entryPoints: { 'terrane-runner-main': 'src/bin/terrane-runner.ts' } }),
    build({ ...common, ...commonJs, metafile: false, entryPoints: { 'terrane-runner': 'src/bin/load-runner.ts' } }),
  ])
  // What V8 makes of the runner's source, so that a worker starts in half the time. Another version of Node.js takes the source itself.
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/make-code-cache.ts', join(partial, 'terrane-runner-main.cjs')])
  await cp('migrations', join(partial, 'migrations'), { recursive: true })
  await buildAssets(join(partial, 'assets'))
  await writeFile(join(partial, 'meta.json'), JSON.stringify({ server: server.metafile, runner: runner.metafile }))
  await rm(outdir, { recursive: true, force: true })
  await rename(partial, outdir)
} catch (error) {
  await rm(partial, { recursive: true, force: true })
  // esbuild has told about errors of the sources itself
  if (!error.errors) throw error
  process.exitCode = 1
}
