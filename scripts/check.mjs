// `npm run check`: everything that can be known without running the product, side by side. Prints failures and one last line.
// `npm run check -- types lint` does only those.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const temporary = await mkdtemp(join(tmpdir(), 'terrane-check-'))

const start = (command, args) =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
    const child = execFile(command, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ error, output: `${stdout}${stderr}`.trim() }),
    )
    // A program that asks a question gets no answer.
    child.stdin?.end()
  })

/** Answers the output when the program fails. */
const run = async (command, ...args) => {
  const { error, output } = await start(command, args)
  return error === null ? undefined : output || error.message
}
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

/** drizzle-kit takes no absolute folder and ends with 0 whatever happens: what counts is what it says. */
const migrations = (dialect, schema) => async () => {
  const copy = join(temporary, schema)
  await cp(`migrations/${schema}`, copy, { recursive: true })
  const options = ['--dialect', dialect, '--schema', `src/main/schema.${schema}.ts`, '--out', relative('.', copy)]
  const { output } = await start(process.execPath, ['node_modules/drizzle-kit/bin.cjs', 'generate', ...options])
  if (output.includes('No schema changes')) return undefined
  return `${output}\nThe tables are ahead of migrations/${schema}. Run npm run db:generate -- NAME.`
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
  types: () =>
    inOrder(
      () => bin('tsc', '--noEmit', '-p', '.'),
      () => bin('tsc', '--noEmit', '-p', 'src/ui/islands'),
    ),
  unused: () => bin('knip'),
  architecture: () => bin('vitest', 'run', '--config', 'vitest.architecture.config.ts'),
  'generated proto': generatedProto,
  'proto style': () => buf('lint'),
  'proto compatibility': compatibleProto,
  'sqlite migrations': migrations('sqlite', 'sqlite'),
  'postgres migrations': migrations('postgresql', 'postgres'),
  'generated docs': () => node('--import', 'tsx', 'scripts/generate-docs.ts', '--check'),
  dependencies,
}

const chosen = process.argv.slice(2)
const selected = Object.entries(checks).filter(([name]) => chosen.length === 0 || chosen.includes(name))

const startedMs = performance.now()
let failed = 0
try {
  await Promise.all(
    selected.map(async ([name, check]) => {
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
const total = selected.length
console.log(failed === 0 ? `✓ ${total} checks in ${seconds} s` : `✗ ${failed} of ${total} checks failed in ${seconds} s`)
process.exitCode = failed === 0 ? 0 : 1
