import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

/**
 * Runs a CommonJS file, with the code cache beside it (`FILE.cache`) where V8 accepts that: it belongs to one version of Node.js and to
 * exactly this source. Compiling the worker's program takes longer than all else at its start.
 */
export const loadScript = (file: string): Script => {
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData: readIfThere(`${file}.cache`) })
  const module = { exports: {} }
  // safe because the text is the wrapper function around the file
  const run = script.runInThisContext() as (...values: unknown[]) => void
  run(module.exports, createRequire(file), module, file, dirname(file))
  return script
}

const readIfThere = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
