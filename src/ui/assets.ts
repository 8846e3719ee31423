import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../platform/log.ts'

export type Asset = { content: Buffer; contentType: string }

/** Files for browsers, held in memory. Their names contain a hash of the content, so they never change. */
export type Assets = {
  /** Address of the asset that is called `name` in the sources, e.g. `islands.js`. */
  href(name: AssetName): string
  find(fileName: string): Asset | undefined
}

type AssetName = 'islands.js' | 'terrane.css' | 'icon.svg'

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Beside the bundle; of a clone what the last build made. */
const directory = (): string => fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../dist/assets' : './assets', import.meta.url))

/** `NAME-HASH.EXT`, as scripts/build-assets.mjs writes them. Without them pages work but have no style. */
export const loadAssets = async (log: Log, from = directory()): Promise<Assets> => {
  const files = new Map<string, Asset>()
  const hrefs = new Map<string, string>()
  for (const file of await readdir(from).catch(() => [])) {
    const [, stem, extension = ''] = /^(\w+)-[A-Z0-9]+\.(\w+)$/.exec(file) ?? []
    const contentType = types[extension]
    if (stem === undefined || contentType === undefined) continue
    files.set(file, { content: await readFile(join(from, file)), contentType })
    hrefs.set(`${stem}.${extension}`, `/assets/${file}`)
  }
  if (files.size === 0) log.warn({ directory: from }, 'no styles and scripts for the pages: run npm run build')
  return { href: (name) => hrefs.get(name) ?? `/assets/${name}`, find: (fileName) => files.get(fileName) }
}
