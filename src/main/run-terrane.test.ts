import { describe, expect, it } from 'vitest'
import { runTerrane } from './run-terrane.ts'

const run = async (...argv: string[]) => {
  let stdout = ''
  let stderr = ''
  const code = await runTerrane({
    version: '1.2.3',
    argv,
    env: { HOME: '/nonexistent' },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

describe('the command line', () => {
  it.each([['--help'], ['help'], []])('prints help on %s', async (...argv) => {
    const { code, stdout, stderr } = await run(...argv)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['server', 'env', 'doctor']) expect(stdout).toContain(`\n  ${name} `)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  })

  it('prints the options of a command', async () => {
    const { code, stdout } = await run('server', '--help')
    expect(code).toBe(0)
    for (const flag of ['--data <dir>', '--tls-cert <file>', '--insecure-behind-proxy ', '--runner-capacity <count>'])
      expect(stdout).toContain(`\n  ${flag}`)
  })

  it.each([
    [['bogus'], /unknown command 'bogus'/],
    [['--bogus'], /unknown option '--bogus'/],
    [['server', '--bogus'], /unknown option '--bogus'/],
    [['server', '--data'], /argument missing/],
    [['env', 'extra'], /too many arguments/],
    [['env', '--install', '--remove'], /either --install or --remove/],
    [['server', '--listen', '0.0.0.0:80'], /without TLS/],
  ])('answers 2 to %j', async (argv, text) => {
    const { code, stdout, stderr } = await run(...argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(text)
  })

  it('answers 4 for a data directory that no server has used', async () => {
    const { code, stderr } = await run('env', '--data', '/nonexistent/data')
    expect(code).toBe(4)
    expect(stderr).toBe(
      'terrane: No server has run with /nonexistent/data yet. Start one with terrane server, or name its directory with --data.\n',
    )
  })
})
