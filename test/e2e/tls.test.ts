import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeProject } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile({ isTls: true })

it('with its own authority the server is found by discovery, with nothing but SSL_CERT_FILE', async () => {
  const project = await makeProject(server(), {
    name: 'secure',
    files: { 'main.tf': 'resource "terraform_data" "a" {}\noutput "id" { value = terraform_data.a.id }\n' },
  })
  expect(server().url).toBe(`https://${server().hostname}`)
  expect((await project.terraform(['init'])).code).toBe(0)
  const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color'])
  expect(code).toBe(0)
  expect(stdout).toContain(`https://${server().hostname}/app/e2e/secure/runs/`)
  expect(stdout).toContain('Apply complete! Resources: 1 added')
  // The link that the CLI prints leads somewhere, so the log needs no other.
  expect(stdout).not.toContain('Run: ')
  expect((await project.terraform(['output', '-raw', 'id'])).stdout).toMatch(/^[0-9a-f-]{36}$/)

  // Without a host block: discovery itself.
  const token = (await readFile(join(server().dataDir, 'admin.token'), 'utf8')).trim()
  await project.write({ 'credentials.rc': `credentials "${server().hostname}" {\n  token = "${token}"\n}\n` })
  const env = { SSL_CERT_FILE: join(server().dataDir, 'ca.pem') }
  const found = await terraform(project.directory, ['state', 'list'], { cliConfigFile: join(project.directory, 'credentials.rc'), env })
  expect(found, found.stderr).toMatchObject({ code: 0, stdout: 'terraform_data.a\n' })

  const distrusting = await terraform(project.directory, ['state', 'list'], {
    cliConfigFile: server().cliConfigFile,
    env: { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nonexistent' },
  })
  expect(distrusting).toMatchObject({ code: 1, stderr: expect.stringContaining('certificate') })
})
