import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prologue } from '../harness/cli-steps.ts'
import { makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { startTerraform, terraform } from '../harness/terraform-cli.ts'
import { expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

/** What terraform has around it on a machine that has not logged in. Without `login.v1` it asks for a token to paste. */
const newMachine = async () => {
  const { hostname } = server()
  const host = `host "${hostname}" {\n  services = { "tfe.v2" = "https://${hostname}/api/v2/" }\n}\n`
  const { directory } = await makeProject(server(), {
    name: 'pasted',
    files: { '.home/.terraformrc': host, '.home/.terraform.d/.keep': '' },
  })
  // Told of a file of configuration, terraform would not read the one that it keeps tokens in. A browser would be found by PATH.
  const around = { env: { TF_CLI_CONFIG_FILE: '', SSL_CERT_FILE: server().caFile ?? '', PATH: '/usr/local/bin' } }
  const login = async (token: string) => {
    server().taken()
    const cli = await startTerraform(directory, ['login', '-no-color', hostname], around)
    await cli.sees('Do you want to proceed?')
    cli.write('yes\n')
    await cli.sees(`Token for ${hostname}:`)
    cli.write(`${token}\n`)
    return cli.ended
  }
  const credentials = async () =>
    JSON.parse(await readFile(join(directory, '.home/.terraform.d/credentials.tfrc.json'), 'utf8')) as {
      credentials: Record<string, { token: string }>
    }
  return { hostname, login, credentials, run: (args: string[]) => terraform(directory, args, around) }
}

describe('terraform login and logout without a login service', () => {
  it('SEQ-02: a pasted token is tried and kept, and logout forgets it without a call', async () => {
    const machine = await newMachine()
    const wrong = await machine.login('at-1.atlasv1.wrong')
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Token is invalid') })
    expectWire(server().taken(), ['GET ping 204', 'GET account/details 401'])

    const made = await machine.login(server().adminToken)
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Retrieved token for user admin') })
    // The page for tokens, which the link has without the port.
    expect(made.stdout).toContain('https://localhost/app/settings/tokens?source=terraform-login')
    expectWire(server().taken(), ['GET ping 204', 'GET account/details 200'])
    expect((await machine.credentials()).credentials[machine.hostname]?.token).toBe(server().adminToken)
    const init = await machine.run(['init', '-no-color'])
    expect(init.code, init.stderr).toBe(0)

    server().taken()
    expect((await machine.run(['logout', machine.hostname])).code).toBe(0)
    expect(server().taken()).toEqual([])
    expect((await machine.credentials()).credentials).toEqual({})
    const without = await machine.run(['plan', '-no-color'])
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('Required token could not be found') })
  })

  it('a token that was deleted is told at the first call that needs one', async () => {
    const { directory } = await makeProject(server(), {
      name: 'revoked',
      files: { 'cli.tfrc': `credentials "${server().hostname}" {\n  token = "gone"\n}\n` },
    })
    server().taken()
    const { code, stderr } = await terraform(directory, ['init', '-no-color'], {
      cliConfigFile: join(directory, 'cli.tfrc'),
      env: { SSL_CERT_FILE: server().caFile ?? '' },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('unauthorized')
    expectWire(server().taken(), [...prologue.slice(0, 2), 'GET organizations/:org/entitlement-set 401'])
  })
})
