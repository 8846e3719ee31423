// `npm run check`: everything that can be known without running the product, side by side. Prints failures and one last line.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const temporary = await mkdtemp(join(tmpdir(), 'terrane-check-'))

/** Answers the output when the program fails. */
const run = (command, ...args) =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
    const child = execFile(command, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${stdout}${stderr}`.trim() || error.message),
    )
    // A program that asks a question gets no answer.
    child.stdin?.end()
  })
const node = (...args) => run(process.execPath, ...args)
// The package's own launcher lacks the executable bit.
const buf = (...args) => node('node_modules/@bufbuild/buf/bin/buf', ...args)
const bin = (name, ...args) => run(`node_modules/.bin/${name}`, ...args)

/** The first failure of steps that follow each other. */
const inOrder = async (...steps) => {
  for (const step of steps) {
    const failure = await step()
    if (failure !== undefined) return failure
  }
  return undefined
}

const generatedProto = () =>
  inOrder(
    () => buf('generate', '-o', join(temporary, 'proto')),
    async () => {
      const difference = await run('diff', '-r', join(temporary, 'proto/src/runner/gen'), 'src/runner/gen')
      return difference && `${difference}\nGenerated code differs from proto/. Run npm run proto.`
    },
  )

/** Against the main branch, where it has the protocol already. */
const compatibleProto = async () => {
  const isAbsent = (await run('git', 'cat-file', '-e', 'main:proto')) !== undefined
  return isAbsent ? undefined : buf('breaking', '--against', '.git#branch=main')
}

const migrations = (dialect) => async () => {
  const out = join(temporary, dialect)
  await cp(`migrations/${dialect}`, out, { recursive: true })
  const before = await readdir(out)
  return inOrder(
    () =>
      node(
        'node_modules/drizzle-kit/bin.cjs',
        'generate',
        '--dialect',
        dialect === 'sqlite' ? 'sqlite' : 'postgresql',
        '--schema',
        `src/main/schema.${dialect}.ts`,
        '--out',
        out,
      ),
    async () => {
      const added = (await readdir(out)).filter((name) => !before.includes(name))
      return added.length === 0
        ? undefined
        : `The tables are ahead of migrations/${dialect}. Run npm run db:generate -- NAME.\n${await readFile(join(out, added[0]), 'utf8')}`
    },
  )
}

/** A package may need a later Node.js than it says. */
const dependencies = async () => {
  const { dependencies: names } = JSON.parse(await readFile('package.json', 'utf8'))
  const failures = await Promise.all(
    Object.keys(names).map((name) =>
      import(name).then(
        () => [],
        (error) => [`${name}: ${error.message}`],
      ),
    ),
  )
  return failures.flat().join('\n') || undefined
}

const checks = {
  format: () => bin('oxfmt', '--check', '.'),
  lint: () => bin('oxlint', '--type-aware', '--quiet', '.'),
  types: () => bin('tsc', '--noEmit', '-p', '.'),
  unused: () => bin('knip'),
  architecture: () => bin('vitest', 'run', '--config', 'vitest.architecture.config.ts'),
  'generated proto': generatedProto,
  'proto style': () => buf('lint'),
  'proto compatibility': compatibleProto,
  'sqlite migrations': migrations('sqlite'),
  'postgres migrations': migrations('postgres'),
  'generated docs': () => node('--import', 'tsx', 'scripts/generate-docs.ts', '--check'),
  dependencies,
}

const startedMs = performance.now()
let failed = 0
try {
  await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const failure = await check()
      if (failure === undefined) return
      failed++
      console.log(`✗ ${name}\n${failure.replace(/^/gm, '  ')}\n`)
    }),
  )
} finally {
  await rm(temporary, { recursive: true, force: true })
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
const total = Object.keys(checks).length
console.log(failed === 0 ? `✓ ${total} checks in ${seconds} s` : `✗ ${failed} of ${total} checks failed in ${seconds} s`)
process.exitCode = failed === 0 ? 0 : 1
