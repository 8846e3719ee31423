import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../harness/controllers.ts'
import { logText, provisionerLines } from '../harness/log-lines.ts'
import { isAbsent } from '../harness/requirements.ts'
import { waitFor } from '../harness/wait-for.ts'

const LIMIT = 64 * 1024

/** Reads a log while it is written, as the Terraform client does: from where it is, until the last byte is the end mark. */
const follow = async (api: Controllers, runId: string, phase: 'plan' | 'apply'): Promise<string> => {
  const linkage = (await api.run(runId)).relationships[phase]?.data
  const id = linkage === null || linkage === undefined || Array.isArray(linkage) ? '' : linkage.id
  const url = String((await api.request('GET', `${phase === 'plan' ? 'plans' : 'applies'}/${id}`)).one().attributes['log-read-url'])
  const parts: Buffer[] = []
  const read = async (offset: number) => {
    const part = Buffer.from(await (await api.app.request(`${url}?limit=${LIMIT}&offset=${offset}`)).arrayBuffer())
    return part.length === 0 ? undefined : part
  }
  for (let offset = 0; parts.at(-1)?.at(-1) !== 3;) {
    const part = await waitFor(() => read(offset), { timeoutMs: 25_000, everyMs: 5, what: `byte ${offset} of the log` })
    expect(part.length).toBeLessThanOrEqual(LIMIT)
    expect(part.subarray(0, -1)).not.toContain(3)
    parts.push(part)
    offset += part.length
  }
  return Buffer.concat(parts).toString('utf8')
}

const printing = (command: string): string => `
resource "terraform_data" "prints" {
  provisioner "local-exec" {
    command = ${JSON.stringify(command).replaceAll('${', '$${')}
  }
}
`
const text = { headers: { 'terraform-version': '1.11.4' } }

describe.skipIf(isAbsent('terraform'))('a log', () => {
  it('R058: has its end mark after the last byte, for a reader that never stops asking', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(printing('n=0; while [ $n -lt 2000 ]; do echo "line $n"; n=$((n+1)); done'))
    const run = await api.newRun(workspaceId, { 'auto-apply': true })
    const [planned, applied] = await Promise.all([follow(api, run, 'plan'), follow(api, run, 'apply')])
    await api.runIn(run, 'applied')
    expect(provisionerLines(applied)).toEqual(Array.from({ length: 2000 }, (_, line) => `line ${line}`))
    expect(applied).toContain('Apply complete!')
    for (const [phase, seen] of [
      ['plan', planned],
      ['apply', applied],
    ] as const)
      expect(await follow(api, run, phase)).toBe(seen)
  })

  it('R061: has a line of 300,000 characters whole, and what comes after it', async () => {
    const api = await makeControllers()
    api.startController()
    const long = 'x'.repeat(300_000)
    const main = `
resource "terraform_data" "long" {
  input = "${long}"
}
output "long" {
  value = terraform_data.long.output
}
resource "terraform_data" "after" {
  depends_on = [terraform_data.long]
  provisioner "local-exec" {
    command = "echo tail-line"
  }
}
`
    const asJson = await api.newRun(await api.workspaceOf(main), { 'auto-apply': true })
    const asText = (await api.postRun(await api.workspaceOf(main), { 'auto-apply': true }, text)).one().id
    for (const run of [asJson, asText]) {
      const [planned, applied] = await Promise.all([follow(api, run, 'plan'), follow(api, run, 'apply')])
      await api.runIn(run, 'applied')
      // Terraform's JSON lines tell no values of a plan.
      expect(planned.includes(long)).toBe(run === asText)
      expect(applied.includes(long)).toBe(true)
      expect(applied).toContain('tail-line')
    }
  })

  it('R062: has odd lines of a program in a safe form, and the run does not mind', async () => {
    const api = await makeControllers()
    api.startController()
    const odd = `printf '{"@level":\\n\\n\\033[31mred\\033[0m\\nlone \\355\\240\\200 surrogate\\na\\000b\\n{"@level":"error","type":"diagnostic"}\\nlast line\\n'`
    const asJson = await api.newRun(await api.workspaceOf(printing(odd)), { 'auto-apply': true })
    const asText = (await api.postRun(await api.workspaceOf(printing(odd)), { 'auto-apply': true }, text)).one().id
    await api.runIn(asJson, 'applied')
    await api.runIn(asText, 'applied')

    const log = await api.logOf(asJson, 'apply')
    for (const line of logText(log)
      .split('\n')
      .filter((each) => each.startsWith('{')))
      expect(() => JSON.parse(line)).not.toThrow()
    const printed = provisionerLines(log)
    expect(printed).toContain('{"@level":')
    expect(printed.some((line) => line.includes('red'))).toBe(true)
    expect(printed.some((line) => /^lone .+ surrogate$/.test(line))).toBe(true)
    expect(printed.some((line) => line.startsWith('a') && line.endsWith('b'))).toBe(true)
    expect(printed).toContain('{"@level":"error","type":"diagnostic"}')
    expect(printed.at(-1)).toBe('last line')

    const plain = await api.logOf(asText, 'apply')
    for (const line of ['{"@level":', 'red', 'last line', 'Apply complete!']) expect(plain).toContain(line)
  })
})
