import { describe, expect, it } from 'vitest'
import type { Actor } from '../platform/context.ts'
import { originOf } from './run-origin.ts'

const byToken: Actor = { kind: 'user', userId: 'user-1', username: 'u', isSiteAdmin: false, tokenId: 'at-1' }
const bySession: Actor = { kind: 'user', userId: 'user-1', username: 'u', isSiteAdmin: false }
const byTeam: Actor = { kind: 'team', teamId: 'team-1', organizationId: 'org-1', tokenId: 'at-2' }
const cloud = { integration: 'cloud', terraformVersion: '1.11.4' }

describe('the origin of a run', () => {
  it.each([
    ['the pages', bySession, {}, 'tfe-ui', 'Triggered via UI', true],
    ['the API', byToken, {}, 'tfe-api', 'Queued manually via the Terraform Enterprise API', true],
    ['the API, as a team', byTeam, {}, 'tfe-api', 'Queued manually via the Terraform Enterprise API', true],
    ['terraform with a cloud block', byToken, cloud, 'terraform+cloud', 'Queued manually using Terraform', true],
    ['terraform with backend remote', byToken, { terraformVersion: '1.11.4' }, 'terraform', 'Queued manually using Terraform', false],
  ])('%s', (_name, actor, client, source, message, readsJsonLogs) => {
    expect(originOf({ actor, client })).toMatchObject({ source, message, readsJsonLogs, triggerReason: 'manual' })
  })

  it('lets configuration be generated from the pages, where nobody can ask for it', () => {
    expect(originOf({ actor: bySession, client: {} }).allowsConfigGeneration).toBe(true)
    expect(originOf({ actor: byToken, client: {} }).allowsConfigGeneration).toBeUndefined()
  })
})
