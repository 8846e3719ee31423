import { describe, expect, it } from 'vitest'
import { returnPath } from './return-path.ts'

describe('returnPath', () => {
  it.each([
    '/app',
    '/app?x=1',
    '/app/acme/workspaces/a%20b?page=2',
    '/oauth/authorize?client_id=terraform-cli&redirect_uri=http%3A%2F%2Flocalhost',
  ])('leads back to %s', (path) => expect(returnPath(path)).toBe(path))

  it.each([
    undefined,
    null,
    '',
    'app',
    'https://evil.example/app',
    '//evil.example/app',
    '/\\evil.example/app',
    '\\\\evil.example',
    '/app/..//evil.example',
    '/app/../session/end',
    'javascript:alert(1)',
    '/ap\tp//x',
    '/application',
    '/setup/x',
    '/app/_events/runs/run-1',
    ' /app',
  ])('leads to the start instead of to %j', (path) => expect(returnPath(path)).toBe('/app'))
})
