import { readFile, writeFile } from 'node:fs/promises'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { browserOfFile } from '../harness/browser.ts'
import { makeDirectory } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { startTerraform } from '../harness/terraform-cli.ts'
import { type TestServer, serverOfFile } from '../harness/terrane-server.ts'
import { signInAsAdmin, username } from './sign-in-as-admin.ts'

const server = serverOfFile()
const secure = recordedServerOfFile()
const open = browserOfFile()

/** Terraform with the host block of the server, without its credentials; no browser is found. */
const startLogin = async (of: TestServer) => {
  const directory = await makeDirectory({ '.home/.terraform.d/empty': '' })
  const config = join(directory, 'cli.tfrc')
  const text = await readFile(of.cliConfigFile, 'utf8')
  await writeFile(config, text.slice(0, text.indexOf('credentials ')))
  const env = {
    PATH: '/usr/local/bin',
    ...(of.caFile === undefined ? {} : { SSL_CERT_FILE: of.caFile }),
  }
  const cli = await startTerraform(directory, ['login', of.hostname], { cliConfigFile: config, env })
  cli.write('yes\n')
  await cli.sees(/https?:\/\/\S+\/oauth\/authorize\?\S+/)
  const url = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(cli.stdout())?.[0] ?? ''
  const token = async (): Promise<string> => {
    const stored = JSON.parse(await readFile(join(directory, '.home/.terraform.d/credentials.tfrc.json'), 'utf8')) as {
      credentials: Record<string, { token: string }>
    }
    return stored.credentials[of.hostname]?.token ?? ''
  }
  return { cli, url, token }
}

describe('terraform login', () => {
  it('R056: gets a token by way of the browser, over HTTP on loopback', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    await page.context().clearCookies()
    const { cli, url, token } = await startLogin(server())
    expect(new URL(url).origin).toBe(server().url)
    await page.goto(url)
    await page.getByText('terraform is waiting in your terminal').waitFor()
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password').fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`asks for an API token of ${username}`).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(/^http:\/\/localhost:100\d\d\/login/)
    expect(await cli.ended).toMatchObject({ stderr: '', code: 0, stdout: expect.stringContaining('Success!') })
    const answer = await fetch(`${server().url}/api/v2/account/details`, { headers: { authorization: `Bearer ${await token()}` } })
    expect(await answer.json()).toMatchObject({ data: { attributes: { username } } })
  })

  it('SEQ-01, R056: gets a token over TLS, with a port, by way of the discovered addresses', async () => {
    const { page, context } = await open()
    await signInAsAdmin(page, secure())
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: '__Host-terrane_session', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
    const { cli, url } = await startLogin(secure())
    await page.goto(url)
    await page.getByRole('button', { name: 'Approve' }).click()
    expect(await cli.ended).toMatchObject({ stderr: '', code: 0, stdout: expect.stringContaining('Success!') })
    // The pages around it are the browser's own affair.
    const asked = secure()
      .taken()
      .filter((each) => /^\/(\.well-known|oauth)\//.test(each.url))
    expect(asked.map((each) => `${each.method} ${each.url.replace(/\?.*/, '')} ${each.status}`)).toEqual([
      'GET /.well-known/terraform.json 200',
      'GET /oauth/authorize 200',
      'POST /oauth/authorize 303',
      'POST /oauth/token 200',
    ])
    expect(asked.at(-1)?.headers.authorization).toBeUndefined()
    const query = new URL(asked[1]?.url ?? '', secure().url).searchParams
    expect([...query.keys()].toSorted()).toEqual([
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'redirect_uri',
      'response_type',
      'state',
    ])
  })

  it('gives none when it is denied', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    const { cli, url } = await startLogin(server())
    await page.goto(url)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    cli.signal('SIGKILL')
    expect((await cli.ended).stdout).not.toContain('Success!')
  })

  it('SEQ-01, R056: refuses wrong verifiers, other redirects and used codes with 400', async () => {
    const { page } = await open()
    await signInAsAdmin(page, server())
    const verifier = `${randomUUID()}.123456789`
    const request = {
      client_id: 'terraform-cli',
      redirect_uri: 'http://localhost:10007/login',
      response_type: 'code',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'xyz',
    }
    await page.route('http://localhost:10007/**', (route) => route.fulfill({ body: 'terraform' }))
    await page.goto(`${server().url}/oauth/authorize?${new URLSearchParams(request).toString()}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(/^http:\/\/localhost:10007\/login/)
    const back = new URL(page.url())
    expect(back.searchParams.get('state')).toBe('xyz')
    const good = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      code_verifier: verifier,
      client_id: request.client_id,
      redirect_uri: request.redirect_uri,
    }
    const redeem = async (form: Record<string, string>) => {
      const answer = await fetch(`${server().url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
      return { status: answer.status, ...((await answer.json()) as { error?: string; access_token?: string; token_type?: string }) }
    }
    expect(await redeem({ ...good, code_verifier: 'wrong' })).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await redeem({ ...good, redirect_uri: 'http://localhost:10008/login' })).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await redeem({ ...good, grant_type: 'password' })).toMatchObject({ status: 400, error: 'unsupported_grant_type' })
    expect(await redeem({})).toMatchObject({ status: 400, error: 'invalid_request' })
    const made = await redeem(good)
    expect(made).toMatchObject({ status: 200, token_type: 'bearer' })
    expect(await redeem(good)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })
})
