import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserOfFile } from '../harness/browser.ts'
import { type Project, makeProject } from '../harness/project.ts'
import type { Cli } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { signInAsAdmin } from './sign-in-as-admin.ts'

const server = serverOfFile()
const open = browserOfFile()

const question = "Only 'yes' will be accepted"

/** `slow` says three things, half a second apart. */
const files = {
  'main.tf': `
variable "password" {
  type      = string
  sensitive = true
  default   = "hunter22secret"
}
variable "size" {
  type    = number
  default = 20
}
resource "terraform_data" "vpc" {
  input = { cidr = "10.0.0.0/16", name = "production" }
}
resource "terraform_data" "subnet" {
  count = 2
  input = { vpc = terraform_data.vpc.id, cidr = "10.0.\${count.index}.0/24", zones = ["a", "b"] }
}
resource "terraform_data" "database" {
  input            = { password = var.password, size = var.size }
  triggers_replace = var.size > 30 ? "big" : "small"
  provisioner "local-exec" {
    command = "for i in 1 2 3; do echo starting $i of 3; sleep 0.5; done"
  }
}
output "subnets" {
  value = terraform_data.subnet[*].output.cidr
}
`,
}

const stage = (page: Page, name: 'Plan' | 'Apply') => page.getByRole('listitem', { name, exact: true })
const pill = (page: Page, text: string) => page.locator('.run-title .pill', { hasText: text })

const startApply = async (project: Project, args: string[] = []): Promise<{ cli: Cli; path: string }> => {
  const cli = await project.start(['apply', '-no-color', ...args])
  const run = await waitFor(
    async () =>
      (await project.runs()).find(({ attributes }) => !['applied', 'discarded', 'canceled'].includes(String(attributes['status']))),
    {
      timeoutMs: 30_000,
      what: 'a run',
    },
  )
  return { cli, path: `/app/e2e/workspaces/${project.name}/runs/${run.id}` }
}

/** A page that is signed in, not yet at the run of a terraform that waits for a confirmation. */
const openWaiting = async (name: string, options: Parameters<typeof open>[0] = {}) => {
  const { page } = await open(options)
  await signInAsAdmin(page, server())
  const project = await makeProject(server(), { name, files: { 'main.tf': 'resource "terraform_data" "a" {}' } })
  await project.terraform(['init'])
  const { cli, path } = await startApply(project)
  await cli.sees(question)
  return { page, cli, path }
}

/** Runs in the page. Answers how long its longest piece of work took. */
const appendManyLines = `(async () => {
  let longestMs = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longestMs = Math.max(longestMs, entry.duration)
  })
  observer.observe({ entryTypes: ['longtask'] })
  const log = document.querySelector('run-log')
  for (let i = 0; i < 1000; i++)
    log.append(Array.from({ length: 100 }, (_, j) => '\\u001b[3' + (j % 7) + 'mline ' + (i * 100 + j) + '\\u001b[0m <b>&amp;\\n').join(''))
  while (!log.textContent.includes('line 99999')) await new Promise((resolve) => setTimeout(resolve, 100))
  observer.disconnect()
  return longestMs
})()`

describe('the page of a run', () => {
  it('shows a run of the CLI live, and confirms it while the CLI waits', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    const project = await makeProject(server(), { name: 'network', files })
    await project.terraform(['init'])
    const { cli, path } = await startApply(project)
    await page.goto(server().url + path)

    await pill(page, 'Needs confirmation').waitFor()
    await stage(page, 'Plan').getByText('Plan: 4 to add, 0 to change, 0 to destroy.').waitFor()
    await page.locator('summary', { hasText: 'terraform_data.database' }).click()
    const database = page.locator('details', { hasText: 'terraform_data.database' }).first()
    await database.getByText('(sensitive value)').waitFor()
    expect(await page.content()).not.toContain('hunter22')
    await cli.sees(question)

    await page.getByText('Confirm & apply').click()
    await page.getByLabel('Comment').filter({ visible: true }).fill('Looks good')
    await page.getByRole('button', { name: 'Yes, apply' }).click()

    // Seen while it happens: the first line is there before the last one was said.
    await stage(page, 'Apply').getByText('starting 1 of 3').waitFor()
    expect(await stage(page, 'Apply').getByText('starting 3 of 3').count()).toBe(0)
    await pill(page, 'Applying').waitFor()
    const { code, stdout } = await cli.ended
    expect(stdout).toContain('Apply complete! Resources: 4 added')
    expect(code).toBe(0)
    await pill(page, 'Applied').waitFor()
    await stage(page, 'Apply').getByText('Apply complete! Resources: 4 added, 0 changed, 0 destroyed.').waitFor()
    await page.getByText('Looks good').waitFor()
    expect(await page.getByText('Confirm & apply').count()).toBe(0)
  })

  it('shows what happened between its own answer and the begin of its events', async () => {
    const { page, cli, path } = await openWaiting('meanwhile')
    const discardFirst = async (route: Route): Promise<void> => {
      await server().api.call('POST', `runs/${path.split('/').at(-1)}/actions/discard`)
      await route.continue()
    }
    await page.route('**/_events/**', discardFirst, { times: 1 })
    await page.goto(server().url + path)
    await pill(page, 'Discarded').waitFor()
    await cli.ended
  })

  it('is confirmed with the keyboard alone', async () => {
    const { page, cli, path } = await openWaiting('keyboard')
    await page.goto(server().url + path)
    await page.getByText('Confirm & apply').waitFor()
    const focused = (): Promise<string> => page.evaluate('document.activeElement?.textContent?.trim() ?? ""')
    await waitFor(
      async () => {
        await page.keyboard.press('Tab')
        return (await focused()) === 'Confirm & apply'
      },
      { what: 'focus on the button' },
    )
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('by keyboard')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Yes, apply')
    await page.keyboard.press('Enter')
    await pill(page, 'Applied').waitFor()
    expect((await cli.ended).code).toBe(0)
  })

  it('works without script, and discards', async () => {
    const { page, cli, path } = await openWaiting('no-script', { javaScriptEnabled: false })
    await page.goto(server().url + path)
    await page.getByText('Discard', { exact: true }).click()
    await page.getByRole('button', { name: 'Yes, discard' }).click()
    await pill(page, 'Discarded').waitFor()
    expect(await cli.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('discarded using the UI or API') })
    await page.getByRole('link', { name: 'Raw log' }).first().click()
    expect(await page.textContent('body')).toContain('Terraform v1.11.4')
  })

  it('cancels a run that applies, and shows errors of terraform with their place', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    const project = await makeProject(server(), {
      name: 'cancel',
      files: {
        'main.tf': 'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "echo begun; exec sleep 60"\n  }\n}\n',
      },
    })
    await project.terraform(['init'])
    const { cli, path } = await startApply(project, ['-auto-approve'])
    await page.goto(server().url + path)
    await stage(page, 'Apply').getByText('(local-exec): begun').waitFor()
    await page.getByText('Cancel run').click()
    await page.getByRole('button', { name: 'Yes, cancel' }).click()
    await pill(page, 'Canceled').waitFor({ timeout: 60_000 })
    await cli.ended

    await project.write({ 'main.tf': 'resource "terraform_data" "a" {\n  input = nothing.here\n}\n' })
    await project.terraform(['plan'])
    const [failed] = await project.runs()
    await page.goto(`${server().url}/app/e2e/cancel/runs/${failed?.id}`)
    await page.getByText('on main.tf line 2').waitFor()
    await pill(page, 'Errored').waitFor()
    expect(await page.locator('.log-diagnostic mark').textContent()).toBe('nothing.here')
  })

  it('keeps up with a log of 100,000 lines, in colours', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    const project = await makeProject(server(), { name: 'long-log', files: { 'main.tf': 'output "a" {\n  value = 1\n}\n' } })
    await project.terraform(['init'])
    await project.terraform(['apply', '-auto-approve'])
    const [run] = await project.runs()
    await page.goto(`${server().url}/app/e2e/workspaces/long-log/runs/${run?.id}`)
    await stage(page, 'Apply').getByText('Apply complete!').waitFor()
    const longestTaskMs = await page.evaluate(appendManyLines)
    expect(longestTaskMs).toBeLessThan(1000)
    const last = page.locator('run-log[data-phase=plan] .log-line').last()
    expect(await last.textContent()).toBe('line 99999 <b>&amp;')
    expect(await last.locator('span').first().getAttribute('class')).toBe('ansi-red-fg')
    expect(await page.locator('run-log[data-phase=plan] .log-line').count()).toBeGreaterThan(100_000)
  })

  it('goes on where a cut connection ended', async () => {
    const { page, context } = await open()
    await signInAsAdmin(page, server())
    const project = await makeProject(server(), { name: 'resume', files: { 'main.tf': 'output "a" {\n  value = "größe ☃"\n}\n' } })
    await project.terraform(['init'])
    await project.terraform(['apply', '-auto-approve'])
    const [run] = await project.runs()
    const read = async (lastEventId?: string) => {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
      const answer = await context.request.get(`${server().url}/app/_events/runs/${run?.id}`, { headers })
      expect(answer.headers()).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      const events = (await answer.text())
        .split('\n\n')
        .map((text) => Object.fromEntries(text.split('\n').map((line) => line.split(/: (.*)/s, 2))))
      const logs = events
        .filter(({ event }) => event === 'log')
        .map(({ data }) => JSON.parse(String(data)) as { phase: string; text: string })
      const textOf = (phase: string) => logs.flatMap((log) => (log.phase === phase ? [log.text] : [])).join('')
      return {
        plan: textOf('plan'),
        apply: textOf('apply'),
        last: events.findLast(({ id }) => id !== undefined)?.['id'],
        end: events.at(-2)?.['event'],
      }
    }
    const whole = await read()
    expect(`\u0002${whole.plan}\u0003`).toBe(await project.log(run!, 'plan'))
    expect(`\u0002${whole.apply}\u0003`).toBe(await project.log(run!, 'apply'))
    expect(whole).toMatchObject({ last: `${Buffer.byteLength(whole.plan)}.${Buffer.byteLength(whole.apply)}`, end: 'end' })
    const rest = await read(`${Buffer.byteLength(whole.plan)}.10`)
    expect(rest).toMatchObject({ plan: '', apply: whole.apply.slice(10), end: 'end' })
  })

  it('fits a narrow screen, and is dark where that is wished', async () => {
    const { page } = await open({ viewport: { width: 400, height: 860 }, colorScheme: 'dark' })
    await signInAsAdmin(page, server())
    const project = await makeProject(server(), { name: 'narrow', files })
    await project.terraform(['init'])
    await project.terraform(['apply', '-auto-approve', '-no-color'])
    const { cli, path } = await startApply(project, ['-var=size=40'])
    await cli.sees(question)
    const run = server().url + path
    for (const address of [
      '/app',
      '/app/e2e/workspaces',
      '/app/e2e/workspaces/narrow',
      '/app/e2e/workspaces/narrow/states',
      '/app/settings/tokens',
    ]) {
      await page.goto(server().url + address)
      expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBeLessThanOrEqual(400)
    }
    await page.goto(run)
    await page.locator('summary', { hasText: 'terraform_data.database' }).click()
    await page.getByText('forces replacement').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400)
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(18, 18, 26)')
    cli.write('no\n')
    await cli.ended
  })
})
