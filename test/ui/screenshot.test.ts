import { mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { browserOfFile } from '../harness/browser.ts'
import { makeProject } from '../harness/project.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { signInAsAdmin } from './sign-in-as-admin.ts'

const server = serverOfFile()
const open = browserOfFile()
const isWanted = process.env['TERRANE_UPDATE_SCREENSHOTS'] !== undefined

const files = (size: number, zones: number) => ({
  'main.tf': `
resource "terraform_data" "network" {
  input = { cidr = "10.0.0.0/16", name = "production" }
}
resource "terraform_data" "subnet" {
  count = ${zones}
  input = { cidr = "10.0.\${count.index}.0/24", zone = "eu-\${count.index}" }
}
resource "terraform_data" "database" {
  input = { name = "orders", password = sensitive("hunter22secret"), size_gb = ${size} }
}
output "subnets" {
  value = terraform_data.subnet[*].input.cidr
}
`,
})

/** For the README: `TERRANE_UPDATE_SCREENSHOTS=1 npm run test:ui -- screenshot`. */
it.runIf(isWanted)('the page of a run that waits for confirmation', async () => {
  const { page } = await open({ viewport: { width: 1280, height: 1010 } })
  await signInAsAdmin(page, server())
  await page.getByLabel('New organization').fill('acme')
  await page.getByRole('button', { name: 'Create' }).click()
  const project = await makeProject(server(), { name: 'production', files: files(20, 2) })
  const cloud = `cloud {\n    hostname     = "${server().hostname}"\n    organization = "acme"\n    workspaces {\n      name = "production"\n    }\n  }`
  await project.write({ 'backend.tf': `terraform {\n  ${cloud}\n}\n` })
  await project.terraform(['init'])
  expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
  await project.write(files(50, 3))
  const cli = await project.start(['apply'])
  await cli.sees("Only 'yes' will be accepted")
  await page.goto(`${server().url}/app/acme/workspaces/production`)
  await page.locator('.runs a').first().click()
  await page.locator('summary', { hasText: 'terraform_data.database' }).click()
  await page.getByText('Plan: 1 to add, 1 to change, 0 to destroy.').waitFor()
  await page.mouse.move(0, 0)
  const file = fileURLToPath(new URL('../../docs/images/run-page.png', import.meta.url))
  await mkdir(fileURLToPath(new URL('../../docs/images/', import.meta.url)), { recursive: true })
  await page.screenshot({ path: file })
  expect((await stat(file)).size).toBeLessThan(200_000)
  cli.write('no\n')
  await cli.ended
})
