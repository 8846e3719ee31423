import { expect, it } from 'vitest'
import { browserOfFile } from '../harness/browser.ts'
import { makeProject } from '../harness/project.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { signInAsAdmin } from './sign-in-as-admin.ts'

const server = serverOfFile()
const open = browserOfFile()

it('scratch', async () => {
  const { page } = await open()
  await signInAsAdmin(page, server())
  await page.screenshot({ path: '/tmp/s-orgs.png' })
  const project = await makeProject(server(), {
    name: 'network',
    files: {
      'main.tf': `
variable "password" {
  type      = string
  sensitive = true
  default   = "hunter22"
}
resource "terraform_data" "vpc" {
  input = { cidr = "10.0.0.0/16", name = "production" }
}
resource "terraform_data" "subnet" {
  count = 2
  input = { vpc = terraform_data.vpc.id, cidr = "10.0.\${count.index}.0/24", tags = ["private", "zone-\${count.index}"] }
}
resource "terraform_data" "database" {
  input = { password = var.password, size = 20 }
  provisioner "local-exec" {
    command = "for i in 1 2 3; do echo starting $i; sleep 0.5; done"
  }
}
output "subnets" {
  value = terraform_data.subnet[*].output
}
`,
    },
  })
  await project.terraform(['init'])
  const cli = await project.start(['apply', '-no-color'])
  await cli.sees("Only 'yes' will be accepted")
  await page.goto(`${server().url}/app/e2e/workspaces`)
  await page.screenshot({ path: '/tmp/s-workspaces.png' })
  await page.goto(`${server().url}/app/e2e/workspaces/network`)
  await page.screenshot({ path: '/tmp/s-workspace.png' })
  await page.locator('.runs a').first().click()
  await page.getByText('Confirm & apply').waitFor()
  await page.waitForTimeout(700)
  await page.screenshot({ path: '/tmp/s-run1.png', fullPage: true })
  await page.getByText('Confirm & apply').click()
  await page.screenshot({ path: '/tmp/s-run2.png', fullPage: true })
  await page.getByLabel('Comment').first().fill('looks good')
  await page.getByRole('button', { name: 'Yes, apply' }).click()
  await page.locator('.stage[aria-label=Apply] .log-line').first().waitFor()
  await page.screenshot({ path: '/tmp/s-run3.png', fullPage: true })
  expect((await cli.ended).code).toBe(0)
  await page.locator('.pill', { hasText: 'Applied' }).waitFor()
  await page.screenshot({ path: '/tmp/s-run4.png', fullPage: true })
  await page.goto(`${server().url}/app/e2e/workspaces/network/states`)
  await page.screenshot({ path: '/tmp/s-states.png' })
  await page.goto(`${server().url}/app/settings/tokens?source=terraform-login`)
  await page.screenshot({ path: '/tmp/s-tokens.png' })
  await page.goto(`${server().url}/app/nope/workspaces`)
  await page.screenshot({ path: '/tmp/s-404.png' })
})
