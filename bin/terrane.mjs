#!/usr/bin/env node
// The command of a clone: builds the bundle when it is missing, then runs it.
import { existsSync } from 'node:fs'

const bundle = new URL('../dist/terrane.js', import.meta.url)
if (!existsSync(bundle)) {
  if (!existsSync(new URL('../node_modules/esbuild', import.meta.url))) {
    process.stderr.write('terrane: the dependencies are missing. Run npm ci first.\n')
    process.exit(1)
  }
  process.stderr.write('terrane: building dist/\n')
  const { spawnSync } = await import('node:child_process')
  const { status } = spawnSync(process.execPath, ['esbuild.mjs'], { cwd: new URL('..', import.meta.url), stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
await import(bundle.href)
