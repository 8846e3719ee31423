import { it, expect } from 'vitest'
import { makeProject } from '../harness/project.ts'
import { wireLines } from '../harness/wire.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { readFile } from 'node:fs/promises'
import { terraformOnTerminal } from '../harness/pty.ts'
import { join } from 'node:path'
import { startSlowState } from '../harness/slow-state.ts'
import { waitFor } from '../harness/wait-for.ts'
const server = recordedServerOfFile({ args: ['--runner-capacity', '1'] })
const show = async (r: {code: number|null, stdout: string, stderr: string}, what: string) => {
    console.log(what, r.code, r.stdout.slice(-1800), r.stderr, '\n' + wireLines(server().taken()).join('\n'))
}
type P = Awaited<ReturnType<typeof makeProject>>
const run = async (p: P, args: string[], o: object = {}) => show(await p.terraform(args, o), args.join(' ') + JSON.stringify(o))
it('saved', async () => {
  const main = { 'main.tf': 'variable "x" { default = "x" }\nresource "terraform_data" "a" {\n input = var.x\n}\noutput "o" { value = terraform_data.a.output }\n' }
  const p = await makeProject(server(), { name: 'saved', files: main })
  await p.terraform(['init'])
  await run(p, ['plan', '-no-color', '-out=f'])
  console.log(await readFile(join(p.directory, 'f'), 'utf8'))
  await run(p, ['show', '-no-color', 'f'])
  await run(p, ['show', '-json', 'f'])
  await run(p, ['apply', '-no-color', 'f'])
  await run(p, ['apply', '-no-color', 'f'])
  await run(p, ['show', '-no-color', 'f'])
  await run(p, ['plan', '-no-color', '-out=f'])
  await run(p, ['apply', '-no-color', 'f'])
  await run(p, ['show', '-no-color', 'f'])
  await run(p, ['plan', '-no-color', '-out=f', '-var=x=2', '-detailed-exitcode'])
  await run(p, ['plan', '-no-color', '-out=g', '-var=x=3'])
  await run(p, ['apply', '-no-color', 'g'])
  await run(p, ['apply', '-no-color', 'f'])
  const all = await p.runs()
  console.log(all.map(r => r.attributes['status']))
  await run(p, ['plan', '-no-color', '-out=f', '-var=x=4'])
  const [r] = await p.runs()
  await server().api.call('POST', `runs/${r!.id}/actions/discard`)
  await run(p, ['apply', '-no-color', 'f'])
  await run(p, ['show', '-no-color', 'f'])
  const q = await makeProject(server(), { name: 'other', files: main })
  await q.terraform(['init'])
  await q.write({ f: await readFile(join(p.directory, 'f'), 'utf8'), g: `{"remote_plan_format":1,"run_id":"run-abcdefghijklmnop","hostname":"elsewhere.example.com"}` , h: `{"remote_plan_format":1,"run_id":"run-abcdefghijklmnop","hostname":"${server().hostname}"}`})
  await run(q, ['apply', '-no-color', 'f'])
  await run(q, ['apply', '-no-color', 'g'])
  await run(q, ['apply', '-no-color', 'h'])
})
