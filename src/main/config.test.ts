import { describe, expect, it } from 'vitest'
import { AppError } from '../platform/errors.ts'
import { parseConfig, type Flags } from './config.ts'

const home = { HOME: '/home/ann' }
const parse = (flags: Flags = {}, env: Record<string, string> = {}, isRoot = false) => parseConfig(flags, { ...home, ...env }, { isRoot })
const refusal = (flags: Flags, env: Record<string, string> = {}): string => {
  try {
    parse(flags, env)
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID') return error.detail
    throw error
  }
  return 'accepted'
}

describe('parseConfig', () => {
  it('has a default for everything', () => {
    expect(parse()).toEqual({
      dataDir: '/home/ann/.local/share/terrane',
      listen: { host: '127.0.0.1', port: 8080 },
      databaseUrl: undefined,
      publicUrl: 'http://127.0.0.1:8080',
      tls: { mode: 'none' },
      runner: 'process',
      runnerCapacity: 4,
      planTimeoutMs: 7_200_000,
      applyTimeoutMs: 86_400_000,
      workDir: '/home/ann/.local/share/terrane/work',
      engineDir: '/home/ann/.local/share/terrane/engines',
      engineCliConfigFile: undefined,
      releaseMirrorUrl: undefined,
      forceCancelCoolOffMs: 60_000,
      leaseMs: 45_000,
      appName: 'HCP Terraform',
      logLevel: 'info',
      installationKey: undefined,
    })
  })

  it('takes each setting from its variable, and the flag before it', () => {
    const env = {
      TERRANE_DATA: '/data',
      TERRANE_LISTEN: '[::1]:9000',
      DATABASE_URL: 'postgres://u:p@db/terrane',
      TERRANE_PUBLIC_URL: 'https://tf.example.com/',
      TERRANE_TLS_CERT: '/c.pem',
      TERRANE_TLS_KEY: '/k.pem',
      TERRANE_RUNNER: 'in-process',
      TERRANE_RUNNER_CAPACITY: '8',
      TERRANE_PLAN_TIMEOUT: '30m',
      TERRANE_APPLY_TIMEOUT: '1d',
      TERRANE_WORK_DIR: '/work-dir',
      TERRANE_ENGINE_CLI_CONFIG: '/engine.rc',
      TERRANE_RELEASE_MIRROR: 'https://mirror.example.com/terraform',
      TERRANE_FORCE_CANCEL_COOL_OFF: '1.5',
      TERRANE_LEASE_SECONDS: '3',
      TERRANE_APP_NAME: 'Terraform Enterprise',
      TERRANE_LOG_LEVEL: 'debug',
      TERRANE_INSTALLATION_KEY: 'a2V5',
    }
    expect(parse({}, env)).toEqual({
      dataDir: '/data',
      listen: { host: '::1', port: 9000 },
      databaseUrl: 'postgres://u:p@db/terrane',
      publicUrl: 'https://tf.example.com',
      tls: { mode: 'files', certFile: '/c.pem', keyFile: '/k.pem' },
      runner: 'in-process',
      runnerCapacity: 8,
      planTimeoutMs: 1_800_000,
      applyTimeoutMs: 86_400_000,
      workDir: '/work-dir',
      engineDir: '/data/engines',
      engineCliConfigFile: '/engine.rc',
      releaseMirrorUrl: 'https://mirror.example.com/terraform',
      forceCancelCoolOffMs: 1500,
      leaseMs: 3000,
      appName: 'Terraform Enterprise',
      logLevel: 'debug',
      installationKey: 'a2V5',
    })
    expect(parse({ data: '/flag', listen: 'localhost:1' }, env)).toMatchObject({ dataDir: '/flag', listen: { host: 'localhost', port: 1 } })
  })

  it('takes an empty variable for none', () => {
    expect(parse({}, { TERRANE_LISTEN: '', DATABASE_URL: '', TERRANE_DATA: '' })).toEqual(parse())
  })

  it('keeps data where XDG says, and refuses to guess without a home', () => {
    expect(parse({}, { XDG_DATA_HOME: '/xdg' }).dataDir).toBe('/xdg/terrane')
    expect(() => parseConfig({}, {}, { isRoot: false })).toThrow(/--data DIR or TERRANE_DATA/)
  })

  it("puts root's run directories outside of the data, one parent for each data directory", () => {
    const [one, other] = [parse({ data: '/a' }, {}, true), parse({ data: '/b' }, {}, true)]
    expect(one.workDir).toMatch(/^\/var\/lib\/terrane\/work-[0-9a-f]{8}$/)
    expect(other.workDir).not.toBe(one.workDir)
    expect(parse({ data: '/a' }, {}, true).workDir).toBe(one.workDir)
    expect(one.engineDir).toBe('/var/lib/terrane/engines')
  })

  it.each([
    [{ listen: '127.0.0.1:8080' }, 'http://127.0.0.1:8080'],
    [{ listen: '127.8.0.1:1' }, 'http://127.8.0.1:1'],
    [{ listen: 'localhost:8080' }, 'http://localhost:8080'],
    [{ listen: '[::1]:8080' }, 'http://[::1]:8080'],
    [{ listen: '127.0.0.1:8443', tls: 'self' }, 'https://localhost:8443'],
    [{ listen: '127.0.0.1:443', tlsCert: '/c', tlsKey: '/k' }, 'https://localhost:443'],
    [{ listen: '0.0.0.0:8080', insecureBehindProxy: true, publicUrl: 'https://tf.example.com' }, 'https://tf.example.com'],
    [{ listen: '0.0.0.0:8080', insecureBehindProxy: true, publicUrl: 'http://tf.lan:8080' }, 'http://tf.lan:8080'],
    [{ listen: '0.0.0.0:8443', tls: 'self', publicUrl: 'https://tf.example.com:8443' }, 'https://tf.example.com:8443'],
    [{ publicUrl: 'http://localhost:8080' }, 'http://localhost:8080'],
    [{ publicUrl: 'http://[::1]:8080' }, 'http://[::1]:8080'],
  ] satisfies [Flags, string][])('%o is reached at %s', (flags, url) => {
    expect(parse(flags).publicUrl).toBe(url)
  })

  it.each([
    [{ listen: '0.0.0.0:8080' }, /without TLS.*--tls-cert.*--tls self.*--insecure-behind-proxy/],
    [{ listen: '192.0.2.1:8080', publicUrl: 'https://tf.example.com' }, /Listening on 192\.0\.2\.1 without TLS/],
    [{ listen: 'tf.example.com:8080' }, /without TLS/],
    [{ listen: '[::]:8080' }, /Listening on :: without TLS/],
    [{ listen: '0.0.0.0:8443', tls: 'self' }, /--public-url is needed off loopback/],
    [{ publicUrl: 'http://tf.example.com' }, /--public-url must begin with https/],
    [{ publicUrl: 'https://tf.example.com/base' }, /--public-url \(or TERRANE_PUBLIC_URL\).*without a path/],
    [{ publicUrl: 'https://u:s3cret@tf.example.com' }, /without a path/],
    [{ publicUrl: 'tf.example.com' }, /scheme, host and port/],
    [{ listen: '8080' }, /--listen \(or TERRANE_LISTEN\) is HOST:PORT/],
    [{ listen: '127.0.0.1:0' }, /port from 1 to 65535/],
    [{ listen: '127.0.0.1:65536' }, /port from 1 to 65535/],
    [{ listen: '[127.0.0.1]:80' }, /HOST:PORT/],
    [{ listen: '::1:80' }, /HOST:PORT/],
    [{ tls: 'yes' }, /--tls \(or TERRANE_TLS\) is one of: self/],
    [{ tls: 'self', tlsCert: '/c', tlsKey: '/k' }, /either --tls self/],
    [{ tlsCert: '/c' }, /need each other/],
    [{ tlsKey: '/k' }, /need each other/],
    [{ databaseUrl: 'mysql://u:s3cret@db/x' }, /--database-url \(or DATABASE_URL\) begins with postgres/],
    [{ runner: 'pod' }, /is one of: process, in-process/],
    [{ runnerCapacity: '0' }, /is at least 1/],
    [{ planTimeout: '5' }, /--plan-timeout .* is a duration like 2h or 90m/],
    [{ applyTimeout: '0m' }, /--apply-timeout .* is a duration/],
    [{ runnerCapacity: 'many' }, /is a number/],
    [{ forceCancelCoolOff: '-1' }, /is not negative/],
    [{ leaseSeconds: '0' }, /is at least 2/],
    [{ releaseMirror: 'ftp://x' }, /http or https URL/],
    [{ appName: 'Other' }, /is one of: HCP Terraform, Terraform Enterprise/],
    [{ logLevel: 'loud' }, /is one of: error/],
  ] satisfies [Flags, RegExp][])('%o is refused', (flags, text) => {
    expect(refusal(flags)).toMatch(text)
    expect(refusal(flags)).not.toContain('s3cret')
  })

  it('limits a phase to what the certificates of its runner last', () => {
    expect(parse({}, { TERRANE_APPLY_TIMEOUT: '7d' }).applyTimeoutMs).toBe(7 * 86_400_000)
    expect(refusal({}, { TERRANE_APPLY_TIMEOUT: '8d' })).toContain('is at most 7d')
    expect(refusal({}, { TERRANE_PLAN_TIMEOUT: '7d1s' })).toContain('is at most 7d')
  })

  it('names every wrong setting at once', () => {
    const text = refusal({ runner: 'x' }, { TERRANE_INSECURE_BEHIND_PROXY: 'maybe' })
    expect(text.split('\n')).toEqual([
      '--insecure-behind-proxy (or TERRANE_INSECURE_BEHIND_PROXY) is true or false',
      '--runner (or TERRANE_RUNNER) is one of: process, in-process',
    ])
  })

  it.each(['0', 'false'])('takes %s of a switch for off', (value) => {
    expect(refusal({ listen: '0.0.0.0:80', publicUrl: 'https://x.example' }, { TERRANE_INSECURE_BEHIND_PROXY: value })).toMatch(
      /without TLS/,
    )
  })
})
