import { version } from '../main/version.ts'

const argv = process.argv.slice(2)

// Scripts ask for it in passing; it must not load anything.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`)
} else {
  const { runTerrane } = await import('../main/run-terrane.ts')
  process.exitCode = await runTerrane({ version, argv, env: process.env, stdout: process.stdout, stderr: process.stderr })
}
