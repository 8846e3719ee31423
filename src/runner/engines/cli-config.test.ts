import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProviderMirror, startTokenSpy, terraformInit } from '../../../test/harness/terraform-init.ts'
import { buildCliConfig, type RunCliConfig } from './cli-config.ts'

let scratch: string
let work: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cli-config-'))
  work = join(scratch, 'work')
  await mkdir(work)
})

afterEach(() => rm(scratch, { recursive: true, force: true }))

const init = async (config: RunCliConfig, main: string): Promise<{ ok: boolean; output: string }> => {
  await writeFile(join(scratch, 'run.tfrc'), buildCliConfig(config))
  await writeFile(join(work, 'main.tf'), main)
  return terraformInit(work, { HOME: scratch, TF_CLI_CONFIG_FILE: join(scratch, 'run.tfrc') })
}

describe('buildCliConfig', () => {
  it('is accepted by terraform without a word, with nothing and with everything in it', async () => {
    const terraformData = 'resource "terraform_data" "x" {}'
    const bare = await init({ credentials: [] }, terraformData)
    expect(bare).toMatchObject({ ok: true, output: expect.not.stringContaining('CLI configuration') })

    await mkdir(join(scratch, 'cache'))
    const operatorConfig = `
      # for all runs
      disable_checkpoint = false
      plugin_cache_dir   = "${join(scratch, 'cache')}"
      provider_installation {
        filesystem_mirror { path = "${join(scratch, 'mirror')}" }
      }
      credentials "modules.example" { token = "m" } // end`
    await makeProviderMirror(join(scratch, 'mirror'))
    const full = await init(
      {
        operatorConfig,
        credentials: [{ host: 'localhost', token: 't' }],
        hostServices: [{ host: 'localhost', services: { 'tfe.v2': 'http://127.0.0.1:1/api/v2/' } }],
      },
      `${terraformData}\nterraform {\n  required_providers {\n    fake = { source = "registry.example/acme/fake" }\n  }\n}`,
    )
    expect(full).toMatchObject({ ok: true, output: expect.not.stringContaining('CLI configuration') })
    expect((await stat(join(scratch, 'cache/registry.example/acme/fake/1.0.0'))).isDirectory()).toBe(true)
  })

  it('sends a token to its host as it is', async () => {
    const spy = await startTokenSpy()
    try {
      const cloud = 'terraform {\n  cloud {\n    hostname = "tfe.example"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}'
      const token = 'a${b"c}\\%{d}'
      await init(
        {
          credentials: [{ host: 'tfe.example', token }],
          hostServices: [{ host: 'tfe.example', services: { 'tfe.v2': `${spy.url}/v2/` } }],
        },
        cloud,
      )
      expect([...spy.seen]).toContain(`/v2/ping Bearer ${token}`)
    } finally {
      await spy.close()
    }
  })

  it('takes JSON, and lets disable_checkpoint stand last', () => {
    const text = buildCliConfig({ operatorConfig: '{"disable_checkpoint": false, "plugin_cache_dir": "/c"}', credentials: [] })
    expect(text).toBe('disable_checkpoint = false\nplugin_cache_dir = "/c"\ndisable_checkpoint = true\n')
  })

  it.each([
    ['credentials "a.example" { token = "s3cret" }\ncredentials "A.example:443" { token = "s3cret" }', /credentials for a\.example twice/],
    ['credentials "localhost" { token = "s3cret" }', /credentials for localhost twice, or this server sets it already/],
    ['provider_installation { direct {} }\nprovider_installation { direct {} }', /provider_installation twice/],
    ['credentials "a.example" { token = "s3cret }', /could not be read, line 1: the string is not closed/],
  ])('refuses %s', (operatorConfig, reason) => {
    const build = (): string => buildCliConfig({ operatorConfig, credentials: [{ host: 'localhost', token: 't' }] })
    expect(build).toThrow(reason)
    expect(build).not.toThrow(/s3cret/)
  })
})
