import { describe, expect, it } from 'vitest'
import { controllerUri, parseSpiffeUri, runnerUri } from './spiffe.ts'

const identity = { organizationId: 'org-a1', workspaceId: 'ws-b2', runId: 'run-c3', phase: 'apply' } as const
const RUNNER = 'spiffe://inst/org/org-a1/ws/ws-b2/run/run-c3/phase/apply/runner/6f1c'

describe('names in certificates', () => {
  it('writes and reads both kinds', () => {
    expect(runnerUri('inst', identity, '6f1c')).toBe(RUNNER)
    expect(parseSpiffeUri(RUNNER)).toEqual({ kind: 'runner', installationId: 'inst', identity, instanceId: '6f1c' })
    expect(controllerUri('inst', 'r-1')).toBe('spiffe://inst/controller/r-1')
    expect(parseSpiffeUri('spiffe://inst/controller/r-1')).toEqual({ kind: 'controller', installationId: 'inst', replicaId: 'r-1' })
  })

  it('refuses to write ids that would change the meaning', () => {
    expect(() => controllerUri('inst', 'a/../b')).toThrow('cannot be part of a certificate name')
    expect(() => runnerUri('inst', { ...identity, runId: '' }, 'x')).toThrow('cannot be part of a certificate name')
  })

  it.each([
    ['percent escape', 'spiffe://inst/controller/r%2d1'],
    ['escaped slash', 'spiffe://inst/controller/a%2Fb'],
    ['dot segments', 'spiffe://inst/controller/../controller/r'],
    ['two dots as id', 'spiffe://inst/controller/..'],
    ['empty segment', 'spiffe://inst//controller/r'],
    ['empty id', 'spiffe://inst/controller/'],
    ['trailing slash', 'spiffe://inst/controller/r/'],
    ['upper-case scheme', 'SPIFFE://inst/controller/r'],
    ['other scheme', 'https://inst/controller/r'],
    ['query', 'spiffe://inst/controller/r?x=1'],
    ['fragment', 'spiffe://inst/controller/r#x'],
    ['port', 'spiffe://inst:1/controller/r'],
    ['user', 'spiffe://u@inst/controller/r'],
    ['no installation', 'spiffe:///controller/r'],
    ['NUL', 'spiffe://inst/controller/r\0'],
    ['newline at the end', 'spiffe://inst/controller/r\n'],
    ['space before', ' spiffe://inst/controller/r'],
    ['unicode letter', 'spiffe://inst/controller/ré'],
    ['look-alike letter', 'spiffe://inst/сontroller/r'],
    ['second name after a comma', 'spiffe://inst/controller/r, DNS:evil'],
    ['quotes', '"spiffe://inst/controller/r"'],
    ['4 KiB', `spiffe://inst/controller/${'r'.repeat(4096)}`],
    ['over 512 in allowed segments', RUNNER.replaceAll(/org-a1|ws-b2|run-c3|6f1c/g, 'x'.repeat(128))],
    ['unknown phase', RUNNER.replace('/apply/', '/destroy/')],
    ['missing part', RUNNER.replace('/ws/ws-b2', '')],
    ['one part too many', `${RUNNER}/more`],
    ['nothing', ''],
  ])('refuses %s', (_what, uri) => {
    expect(parseSpiffeUri(uri)).toBeUndefined()
  })
})
