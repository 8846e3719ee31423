// `npm run db:generate -- NAME`: the next migration of both dialects, from the tables of src/main/schema.*.ts.
import { spawnSync } from 'node:child_process'

const [name] = process.argv.slice(2)
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  process.stderr.write('db:generate: give the migration a name, e.g. npm run db:generate -- add_labels\n')
  process.exit(2)
}
for (const dialect of ['sqlite', 'postgres']) {
  const command = ['node_modules/drizzle-kit/bin.cjs', 'generate', `--config=drizzle.${dialect}.config.ts`, `--name=${name}`]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
