// Writes docs/errors.md from the list of error codes; with --check it only compares, and fails when they differ.
import { readFile, writeFile } from 'node:fs/promises'
import { errorCodes } from '../src/platform/errors.ts'

const file = new URL('../docs/errors.md', import.meta.url)
const rows = Object.entries(errorCodes).map(([code, { status, title, doc }]) => `| ${code} | ${status} | ${title} | ${doc} |`)
const text = `# Errors

Generated from \`src/platform/errors.ts\` by \`npm run docs\`. An answer with an error has the status and the title; its detail says what is
special about the case. The code stands in the log of the server.

| code | status | title | what to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`

if (process.argv.includes('--check')) {
  const present = await readFile(file, 'utf8').catch(() => '')
  if (present !== text) {
    process.stderr.write('docs/errors.md is not what src/platform/errors.ts says. Run npm run docs.\n')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
}
