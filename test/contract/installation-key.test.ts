import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkInstallationKey } from '../../src/platform/secrets/check-installation-key.ts'
import { makeEnvelope } from '../../src/platform/secrets/envelope.ts'
import { parseInstallationKey } from '../../src/platform/secrets/installation-key.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.drop())

const keyOf = (byte: number) => parseInstallationKey(Buffer.alloc(32, byte).toString('base64'), 'test')

it('a start with another installation key is refused with a clear text', async () => {
  const first = makeEnvelope({ keys: [keyOf(1)] })
  await Promise.all([checkInstallationKey(test.db, first), checkInstallationKey(test.db, first)])
  await checkInstallationKey(test.db, first)
  await expect(checkInstallationKey(test.db, makeEnvelope({ keys: [keyOf(2)] }))).rejects.toThrow('Restore the original installation.key')
  await checkInstallationKey(test.db, makeEnvelope({ keys: [keyOf(2), keyOf(1)] }))
})
