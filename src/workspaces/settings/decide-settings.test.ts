import { describe, expect, it } from 'vitest'
import { changedSettings } from './changed-settings.ts'
import { decideSettings, defaultSettings } from './decide-settings.ts'
import { decideExecutionMode } from './execution-mode.ts'

const facts = { inheritedMode: 'remote' } as const
const defaults = defaultSettings('ws', '1.11.4')

describe('decideExecutionMode', () => {
  it.each([
    // own, request, own afterwards
    [null, {}, null],
    ['local', {}, 'local'],
    [null, { executionMode: 'remote' }, 'remote'],
    ['local', { executionMode: null }, null],
    [null, { operations: false }, 'local'],
    ['local', { operations: true }, 'remote'],
    ['local', { operations: null }, 'local'],
    ['local', { settingOverwrites: { executionMode: false } }, null],
    ['local', { settingOverwrites: { agentPool: false } }, null],
    ['local', { settingOverwrites: { executionMode: true } }, 'local'],
    [null, { settingOverwrites: { executionMode: true } }, 'remote'],
    [null, { executionMode: 'local', settingOverwrites: { executionMode: true } }, 'local'],
    [null, { executionMode: 'local', settingOverwrites: { executionMode: false } }, null],
    ['local', { settingOverwrites: { executionMode: null, agentPool: null } }, 'local'],
    ['local', { agentPoolId: null }, 'local'],
  ] as const)('own %s, request %j: own %s', (own, input, expected) => {
    expect(decideExecutionMode(own, 'remote', input)).toBe(expected)
  })
})

describe('decideSettings', () => {
  it('leaves everything alone without a request', () => {
    const current = { ...defaults, description: 'x', autoApply: true, triggerPatterns: ['/a'], autoDestroyAt: new Date(0) }
    expect(changedSettings(current, decideSettings(current, {}, facts))).toEqual({})
  })

  it('names only what differs', () => {
    const input = { description: 'x', autoApply: false, triggerPatterns: [], autoDestroyAt: '1970-01-01T00:00:00+00:00' }
    const current = { ...defaults, autoDestroyAt: new Date(0), inheritsProjectAutoDestroy: false }
    expect(changedSettings(current, decideSettings(current, input, facts))).toEqual({ description: 'x' })
  })

  it('inherits the automatic destruction until the workspace has its own', () => {
    const inherits = (input: Parameters<typeof decideSettings>[1]) => decideSettings(defaults, input, facts).inheritsProjectAutoDestroy
    expect(inherits({})).toBe(true)
    expect(inherits({ autoDestroyActivityDuration: '1d' })).toBe(false)
    expect(inherits({ autoDestroyActivityDuration: '1d', inheritsProjectAutoDestroy: true })).toBe(true)
    expect(inherits({ autoDestroyAt: null })).toBe(true)
  })

  it.each(['1d', '9999h'])('takes the duration %s', (duration) => {
    expect(decideSettings(defaults, { autoDestroyActivityDuration: duration }, facts).autoDestroyActivityDuration).toBe(duration)
  })

  it.each(['', '0d', '10000d', '1w', 'd', '1d\n', '-1d'])('refuses the duration %j', (duration) => {
    expect(() => decideSettings(defaults, { autoDestroyActivityDuration: duration }, facts)).toThrow(/incorrect format/)
  })

  it.each(['', 'a', 'a/b/', 'a..b/.x', './a'])('takes the working directory %j', (directory) => {
    expect(decideSettings(defaults, { workingDirectory: directory }, facts).workingDirectory).toBe(directory)
  })

  it.each(['/', '..', 'a/..', 'a\\b', 'a\nb', '../a'])('refuses the working directory %j', (directory) => {
    expect(() => decideSettings(defaults, { workingDirectory: directory }, facts)).toThrow(/^INVALID: Working directory/)
  })
})
