import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeProviderMirror, startTokenSpy, terraformInit } from '../../../test/harness/terraform-init.ts'
import { collectUserConfig } from './user-config.ts'

let home: string
let ownFile: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'user-config-'))
  ownFile = join(home, 'data/terraform.rc')
  await mkdir(join(home, '.terraform.d'))
  await mkdir(join(home, 'data'))
})

afterEach(() => rm(home, { recursive: true, force: true }))

const put = (name: string, content: string): Promise<void> => writeFile(join(home, name), content)
const collect = (env: Record<string, string> = {}) => collectUserConfig({ env, home, ownHost: 'localhost', ownFile })
const tokens = (...hosts: string[]): string =>
  JSON.stringify({ credentials: Object.fromEntries(hosts.map((host) => [host, { token: `token-of-${host}` }])) })

describe('sources', () => {
  it('are none for a user without configuration', async () => {
    expect(await collect()).toEqual({ text: '', notes: [] })
  })

  it('are ~/.terraformrc, then ~/.terraform.d in order of name, but for our own host', async () => {
    await put('.terraformrc', 'plugin_cache_dir = "/cache" # mine\ncredentials "a.example" {\n  token = "a"\n}\n')
    await put('.terraform.d/credentials.tfrc.json', tokens('b.example', 'localhost'))
    await put('.terraform.d/x.tfrc', 'host "LOCALHOST" { services = {} }\nproviders { x = "/x" }')
    await put('.terraform.d/notes.txt', 'not read')
    expect(await collect()).toEqual({
      text: [
        `# from "${home}/.terraformrc"`,
        'plugin_cache_dir = "/cache"',
        'credentials "a.example" {\n  token = "a"\n}',
        `# from "${home}/.terraform.d/credentials.tfrc.json"`,
        'credentials "b.example" {\n  token = "token-of-b.example"\n}',
        `# from "${home}/.terraform.d/x.tfrc"`,
        'providers { x = "/x" }',
        '',
      ].join('\n'),
      notes: [
        `carried over from ${home}/.terraformrc: plugin_cache_dir, credentials a.example`,
        `carried over from ${home}/.terraform.d/credentials.tfrc.json: credentials b.example`,
        `carried over from ${home}/.terraform.d/x.tfrc: providers`,
      ],
    })
  })

  it.each(['TF_CLI_CONFIG_FILE', 'TERRAFORM_CONFIG'])('are the file of %s alone', async (name) => {
    await put('.terraformrc', 'plugin_cache_dir = "/not-this"')
    await put('custom.rc', 'plugin_cache_dir = "/this"')
    const { text } = await collect({ [name]: join(home, 'custom.rc') })
    expect(text).toContain('"/this"')
    expect(text).not.toContain('/not-this')
  })

  it('are not our own file, wherever it is named', async () => {
    await writeFile(ownFile, 'plugin_cache_dir = "/own"')
    await symlink(ownFile, join(home, 'link.rc'))
    await symlink(ownFile, join(home, '.terraform.d/own.tfrc'))
    await put('.terraformrc', 'plugin_cache_dir = "/mine"')
    const { text } = await collect({ TF_CLI_CONFIG_FILE: join(home, 'link.rc') })
    expect(text).toBe(`# from "${home}/.terraformrc"\nplugin_cache_dir = "/mine"\n`)
  })

  it('that cannot be used give a note without their content', async () => {
    const missing = join(home, 'missing.rc')
    expect(await collect({ TF_CLI_CONFIG_FILE: missing })).toEqual({
      text: '',
      notes: [`${missing} is not carried over: the file does not exist`],
    })
    await put('.terraformrc', 'credentials "a.example" { token = "s3cret }')
    await put('.terraform.d/a.tfrc.json', '{"credentials": "s3cret"')
    await mkdir(join(home, '.terraform.d/b.tfrc'))
    const { text, notes } = await collect()
    expect(text).toBe('')
    expect(notes).toEqual([
      `${home}/.terraformrc is not carried over: line 1: the string is not closed`,
      `${home}/.terraform.d/a.tfrc.json is not carried over: line 1: the file begins with "{" but is not valid JSON`,
      `${home}/.terraform.d/b.tfrc is not carried over: it cannot be read (EISDIR)`,
    ])
  })
})

describe.skipIf(isAbsent('terraform'))('with the real terraform', () => {
  const work = async (main: string): Promise<string> => {
    const directory = await mkdtemp(join(home, 'work-'))
    await writeFile(join(directory, 'main.tf'), main)
    return directory
  }

  /** What terraform does with the user's files, and then with ours in their place, in fresh directories. */
  const compare = async (main: string, observe: () => Promise<string[]>): Promise<[string[], string[]]> => {
    const before = await terraformInit(await work(main), { HOME: home })
    expect(before.output).not.toContain('CLI configuration')
    const expected = await observe()
    await writeFile(ownFile, `${(await collect()).text}disable_checkpoint = true\n`)
    const after = await terraformInit(await work(main), { HOME: home, TF_CLI_CONFIG_FILE: ownFile })
    expect(after.output).not.toContain('CLI configuration')
    return [expected, await observe()]
  }

  it('uses the same plugin cache and mirror', async () => {
    const mirror = join(home, 'mirror')
    await makeProviderMirror(mirror)
    await Promise.all(['c1', 'c2', 'c3'].map((name) => mkdir(join(home, name))))
    await put('.terraformrc', `plugin_cache_dir = ""\nprovider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`)
    await put('.terraform.d/a.tfrc', `plugin_cache_dir = "${home}/c1"\nplugin_cache_dir = "$HOME/c2"`)
    await put('.terraform.d/b.tfrc', `plugin_cache_dir = "${home}/c3"`)
    const main = 'terraform {\n  required_providers {\n    fake = { source = "registry.example/acme/fake" }\n  }\n}\n'
    const observe = async (): Promise<string[]> => {
      const used: string[] = []
      for (const name of ['c1', 'c2', 'c3']) {
        if ((await readdir(join(home, name))).length > 0) used.push(name)
        await rm(join(home, name), { recursive: true })
        await mkdir(join(home, name))
      }
      return used
    }
    expect(await compare(main, observe)).toEqual([['c2'], ['c2']])
  })

  it("sends another host's token to the same address", async () => {
    const spy = await startTokenSpy()
    try {
      const host = (path: string, extra = ''): string =>
        `host "tfe.example" {\n  services = { "tfe.v2" = "${spy.url}/${path}/"${extra} }\n}\n`
      await put('.terraformrc', `${host('first')}credentials "tfe.example" { token = "first" }\ndisable_checkpoint = true\n`)
      await put('.terraform.d/a.tfrc', `${host('second', ', "modules.v1" = "http://127.0.0.1:1/"')}disable_checkpoint = false\n`)
      await put('.terraform.d/credentials.tfrc.json', tokens('tfe.example', 'localhost'))
      const main = 'terraform {\n  cloud {\n    hostname = "tfe.example"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}\n'
      const observe = (): Promise<string[]> => {
        const seen = [...spy.seen].filter((line) => line.includes('/ping'))
        spy.seen.clear()
        return Promise.resolve(seen)
      }
      const wanted = ['/second/ping Bearer token-of-tfe.example']
      expect(await compare(main, observe)).toEqual([wanted, wanted])
    } finally {
      await spy.close()
    }
  })

  it('starts with an empty text when the given file is missing', async () => {
    const { text } = await collect({ TF_CLI_CONFIG_FILE: join(home, 'missing.rc') })
    await writeFile(ownFile, text)
    await chmod(ownFile, 0o600)
    const result = await terraformInit(await work('resource "terraform_data" "x" {}'), { HOME: home, TF_CLI_CONFIG_FILE: ownFile })
    expect(result).toMatchObject({ ok: true, output: expect.not.stringContaining('CLI configuration') })
  })
})
