import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Accounts } from '../accounts/index.ts'
import { writeWholeFile } from '../platform/write-whole-file.ts'

type Options = { accounts: Pick<Accounts, 'issueSetupLink'>; dataDir: string; publicUrl: string }

/**
 * While nobody has a password: writes `setup.url` (0600), the link by which the first administrator sets one, and answers the file.
 * Later there is no such file.
 */
export const writeSetupUrl = async ({ accounts, dataDir, publicUrl }: Options): Promise<string | undefined> => {
  const file = join(dataDir, 'setup.url')
  const token = await accounts.issueSetupLink()
  if (token === undefined) {
    await rm(file, { force: true })
    return undefined
  }
  await writeWholeFile(file, `${publicUrl}/setup/${token}\n`, 0o600)
  return file
}
