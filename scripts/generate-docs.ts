// Writes the generated documents; with --check it only compares, and fails when one differs.
import { readFile, writeFile } from 'node:fs/promises'
import { errorCodes } from '../src/platform/errors.ts'
import { compatibility } from './compatibility.ts'

const errors = (): string => {
  const rows = Object.entries(errorCodes).map(([code, { status, title, doc }]) => `| ${code} | ${status} | ${title} | ${doc} |`)
  return `# Errors

Generated from \`src/platform/errors.ts\` by \`npm run docs\`. An answer with an error has the status and the title; its detail says what is
special about the case. The code stands in the log of the server.

| code | status | title | what to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

const documents = { 'docs/errors.md': errors(), 'docs/compatibility.md': await compatibility() }

for (const [name, text] of Object.entries(documents)) {
  const file = new URL(`../${name}`, import.meta.url)
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${name} is not what the sources say. Run npm run docs.\n`)
    process.exitCode = 1
  }
}
