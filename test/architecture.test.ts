import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

type Import = { from: string; to: string; isType: boolean }

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !file.startsWith('src/runner/gen/'))

const text = (file: string): string => readFileSync(join(root, file), 'utf8')
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file)

const statement = /^(?:import|export)\s(type\s)?[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** `to` is a path from the root for our own files, else a package with its path. */
const importsOf = (from: string): Import[] =>
  [...text(from).matchAll(statement)].map(([, type, ...targets]) => {
    const target = targets.find((each) => each !== undefined) ?? ''
    return { from, to: target.startsWith('.') ? normalize(join(dirname(from), target)) : target, isType: type !== undefined }
  })

const sources = filesBelow('src').filter((file) => !isTest(file))
const imports = sources.flatMap(importsOf)
const own = imports.filter(({ to }) => to.startsWith('src/'))
const show = ({ from, to }: Import): string => `${from} → ${to}`

/** The first folder, and of `runner` whether it is the controller's side, which knows the database, or the worker's. */
const zoneOf = (file: string): string => {
  const [, folder = '', next = ''] = file.split('/')
  if (folder !== 'runner') return folder
  return next === 'controller' || next === 'tables.ts' ? 'controller' : 'runner'
}

const slices = ['accounts', 'organizations', 'workspaces', 'ssh-keys', 'variable-sets', 'state', 'runs']
const lower = (slice: string): string[] => ['platform', 'api', ...slices.slice(0, slices.indexOf(slice))]

/** bin → main → {api, ui, cli} → slices → platform, slices in their order; what may be imported from where. */
const directions: Record<string, string[]> = {
  platform: [],
  api: ['platform'],
  cli: ['platform'],
  ui: ['platform', 'api', ...slices],
  ...Object.fromEntries(slices.map((slice) => [slice, lower(slice)])),
  runner: ['platform'],
  controller: ['platform', 'runner', ...slices],
  main: ['platform', 'api', 'ui', 'cli', 'runner', 'controller', ...slices],
  bin: ['main', 'runner'],
}

/** Whether `to` is a door of its folder for files of other folders. */
const isDoor = ({ from, to, isType }: Import): boolean => {
  const folder = zoneOf(to)
  if (folder === 'api') return to === 'src/api/index.ts' || zoneOf(from) === 'main'
  if (!slices.includes(folder) && folder !== 'controller') return true
  if (to.endsWith('/tables.ts')) return isType || from.endsWith('/tables.ts') || from === 'src/main/schema.ts'
  return to === `src/${folder}/index.ts` || to === 'src/runner/controller/index.ts'
}

describe('imports', () => {
  it('are all seen', () => {
    expect(sources.length).toBeGreaterThan(200)
    expect(own.length).toBeGreaterThan(sources.length)
    expect(own.filter(({ to }) => !sources.includes(to) && !to.startsWith('src/runner/gen/')).map(show)).toEqual([])
  })

  it('go in the direction of the layers', () => {
    const wrong = own.filter(({ from, to }) => zoneOf(from) !== zoneOf(to) && !(directions[zoneOf(from)] ?? []).includes(zoneOf(to)))
    expect(wrong.map(show)).toEqual([])
  })

  it('enter a slice through its door', () => {
    expect(own.filter((each) => zoneOf(each.from) !== zoneOf(each.to) && !isDoor(each)).map(show)).toEqual([])
  })

  it('of the command line and the runners bring no database', () => {
    const isDatabase = (to: string): boolean => /^src\/platform\/(db|outbox|jobs|leases|secrets)/.test(to)
    const thin = own.filter(({ from, to, isType }) => !isType && ['cli', 'runner'].includes(zoneOf(from)) && isDatabase(to))
    expect(thin.map(show)).toEqual([])
  })

  it('of query operators are in queries only', () => {
    const isQuery = (file: string): boolean => file.startsWith('src/platform/') || /(^|[/-])(queries|filter|sql)\.ts$/.test(file)
    const outside = imports.filter(({ from, to, isType }) => !isType && to === 'drizzle-orm' && !isQuery(from))
    expect(outside.map(show)).toEqual([])
  })

  it('of drivers are in the platform, of Hono in the API and the pages', () => {
    const isMisplaced = ({ from, to, isType }: Import): boolean => {
      if (isType) return false
      if (/^(pg|better-sqlite3|drizzle-orm\/.+)$/.test(to)) return !from.startsWith('src/platform/')
      return (/^hono($|\/)/.test(to) && !['api', 'ui'].includes(zoneOf(from))) || (to === '@hono/node-server' && zoneOf(from) !== 'main')
    }
    expect(imports.filter(isMisplaced).map(show)).toEqual([])
  })
})

describe('files', () => {
  const everything = [...filesBelow('src'), ...filesBelow('test')]
  const lines = (file: string): number => text(file).split('\n').length - 1

  it('have at most 400 lines, half of the sources at most 100', () => {
    expect(everything.filter((file) => lines(file) > 400).map((file) => `${file}: ${lines(file)}`)).toEqual([])
    const sizes = sources.map(lines).sort((a, b) => a - b)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(100)
  })

  it('have names in kebab case', () => {
    const isKebab = (file: string): boolean => file.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(part))
    expect(everything.filter((file) => !isKebab(file))).toEqual([])
  })

  it('of programs are short', () => {
    expect(sources.filter((file) => file.startsWith('src/bin/') && lines(file) > 40)).toEqual([])
  })

  it('do not weaken TLS, and make credentials in the transport only', () => {
    expect(sources.filter((file) => /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/.test(text(file)))).toEqual([])
    const makesCredentials = (file: string): boolean => /\.create(Ssl|Insecure)\(/.test(text(file))
    expect(sources.filter((file) => makesCredentials(file) && !file.startsWith('src/runner/transport/'))).toEqual([])
  })
})
