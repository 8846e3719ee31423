import { describe, expect, it } from 'vitest'
import type { Actor } from '../../platform/context.ts'
import { type Permission, permissions } from './permission.ts'
import { type Facts, permissionsOfRole, roleOf } from './policy.ts'

const user: Actor = { kind: 'user', userId: 'user-1', username: 'u', isSiteAdmin: true, tokenId: 'at-1' }
const organization: Actor = { kind: 'organization', organizationId: 'org-1', tokenId: 'at-2' }
const run: Actor = { kind: 'run', runId: 'run-1', workspaceId: 'ws-1', organizationId: 'org-1' }
const team: Actor = { kind: 'team', teamId: 'team-1', organizationId: 'org-1', tokenId: 'at-3' }

describe('roleOf', () => {
  it.each<[string, Actor, string, Facts, string]>([
    ['owner', user, 'org-1', { membership: 'owner' }, 'owner'],
    ['member', user, 'org-1', { membership: 'member' }, 'member'],
    ['site administrator without membership', user, 'org-1', {}, 'stranger'],
    ['organization token', organization, 'org-1', {}, 'organization-token'],
    ['token of another organization', organization, 'org-2', {}, 'stranger'],
    ['run in its organization', run, 'org-1', {}, 'run'],
    ['run in its workspace', run, 'org-1', { workspaceId: 'ws-1' }, 'own-run'],
    ['run in a workspace that shares', run, 'org-1', { workspaceId: 'ws-2', sharesState: true }, 'sharing-run'],
    ['run in another workspace', run, 'org-1', { workspaceId: 'ws-2', sharesState: false }, 'stranger'],
    ['run in another workspace, unasked', run, 'org-1', { workspaceId: 'ws-2' }, 'stranger'],
    ['run in another organization', run, 'org-2', { workspaceId: 'ws-1', sharesState: true }, 'stranger'],
    ['team token', team, 'org-1', { membership: 'member' }, 'member'],
    ['token of the team of owners', team, 'org-1', { membership: 'owner' }, 'owner'],
    ['team token elsewhere', team, 'org-2', {}, 'stranger'],
    ['system', { kind: 'system', name: 'scheduler' }, 'org-1', {}, 'system'],
    ['nobody', { kind: 'anonymous' }, 'org-1', { membership: 'owner' }, 'stranger'],
  ])('%s', (_, actor, organizationId, facts, expected) => {
    expect(roleOf(actor, organizationId, facts)).toBe(expected)
  })
})

describe('permissionsOfRole', () => {
  const refusedTo = (role: Parameters<typeof permissionsOfRole>[0]): Permission[] => {
    const held = permissionsOfRole(role)
    return permissions.filter((permission) => !held.has(permission))
  }

  it('owners and the system may everything, strangers nothing', () => {
    expect(refusedTo('owner')).toEqual([])
    expect(refusedTo('system')).toEqual([])
    expect(permissionsOfRole('stranger').size).toBe(0)
  })

  it('an organization token starts no runs, writes no state, reads no plan JSON and leaves the organization alone', () => {
    expect(refusedTo('organization-token')).toEqual([
      'organization:update',
      'organization:delete',
      'organization:tokens',
      'ssh-key:read',
      'ssh-key:write',
      'workspace:force-delete',
      'state:write',
      'run:plan',
      'run:apply',
      'run:cancel',
      'run:force-cancel',
      'run:force-execute',
      'run:comment',
      'plan-json:read',
    ])
  })

  it('a run has its state, reads what is shared with it, and administers nothing', () => {
    expect([...permissionsOfRole('run')]).toEqual(['organization:read'])
    expect([...permissionsOfRole('own-run')]).toEqual([
      'organization:read',
      'workspace:read',
      'state:read',
      'state:read-outputs',
      'state:write',
    ])
    expect([...permissionsOfRole('sharing-run')]).toEqual(['organization:read', 'workspace:read', 'state:read', 'state:read-outputs'])
  })
})
