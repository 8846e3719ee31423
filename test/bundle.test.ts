import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const output = z.object({
  entryPoint: z.string().optional(),
  imports: z.array(z.object({ path: z.string(), kind: z.string(), external: z.boolean().optional() })),
  inputs: z.record(z.string(), z.unknown()),
})
const metafile = z.object({ outputs: z.record(z.string(), output) })
const metaSchema = z.object({ server: metafile, runner: metafile })

let dist: string
let meta: z.infer<typeof metaSchema>

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'terrane-dist-'))
  await run(process.execPath, ['esbuild.mjs', '--outdir', dist], { cwd: root })
  meta = metaSchema.parse(JSON.parse(await readFile(join(dist, 'meta.json'), 'utf8')))
})
afterAll(() => rm(dist, { recursive: true, force: true }))

/** Every file that is inside when the output with `entryPoint` is loaded, and every package that stays outside of it. */
const loadedWith = ({ outputs }: z.infer<typeof metafile>, entryPoint: string): string[] => {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const each of outputs[path]?.imports ?? []) if (each.kind !== 'dynamic-import') visit(each.path)
  }
  const start = Object.entries(outputs).find(([, each]) => each.entryPoint === entryPoint)?.[0]
  if (start === undefined) throw new Error(`no output begins with ${entryPoint}`)
  visit(start)
  return [...seen].flatMap((path) => [path, ...Object.keys(outputs[path]?.inputs ?? {})])
}

const server =
  /node_modules\/(drizzle-orm|better-sqlite3|pg|hono|@hono)\/|^better-sqlite3$|^src\/(api|accounts|organizations|workspaces|state|runs|main)\//
const engineRoom = /node_modules\/(@grpc|@peculiar|openpgp|tar|pino)\//

describe('the bundles', () => {
  it("keep the server's parts out of the runner", () => {
    const inside = loadedWith(meta.runner, 'src/bin/terrane-runner.ts')
    expect(inside).toContain('src/runner/host/run-worker-host.ts')
    expect(inside.filter((file) => server.test(file))).toEqual([])
  })

  it.each(['src/cli/env/run-env.ts', 'src/cli/doctor/run-doctor.ts'])('load no server for %s', (entryPoint) => {
    const inside = loadedWith(meta.server, entryPoint)
    expect(inside).toContain(entryPoint)
    expect(inside.filter((file) => server.test(file) || engineRoom.test(file))).toEqual([])
  })

  it('load next to nothing for the version', () => {
    expect(loadedWith(meta.server, 'src/bin/terrane.ts').filter((file) => /^(src|node_modules)\//.test(file))).toEqual([
      'src/main/version.ts',
      'src/bin/terrane.ts',
    ])
  })

  it('bring a code cache of the worker that this Node.js takes', async () => {
    const program = join(dist, 'terrane-runner-main.cjs')
    const look = `const { readFileSync } = require('fs'), source = require('module').wrap(readFileSync(process.argv[1], 'utf8'))
      const script = new (require('vm').Script)(source, { filename: process.argv[1], cachedData: readFileSync(process.argv[1] + '.cache') })
      console.log(script.cachedDataRejected)`
    expect((await run(process.execPath, ['-e', look, program], { env: {} })).stdout).toBe('false\n')
  })

  it('run from another folder, and bring the migrations', async () => {
    const { stdout } = await run(process.execPath, [join(dist, 'terrane.js'), '--version'], { cwd: '/', env: {} })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    for (const dialect of ['sqlite', 'postgres']) {
      const journal = `migrations/${dialect}/meta/_journal.json`
      expect(await readFile(join(dist, journal), 'utf8')).toBe(await readFile(join(root, journal), 'utf8'))
    }
  })
})
