import { findSshKey } from './queries.ts'
import { sealingContext, type SshKeyDeps, type SshKeyReader } from './ssh-key.ts'

/** The text of a private key, for the runner alone. Undefined when it is gone. */
export const openSshKey =
  ({ envelope }: Pick<SshKeyDeps, 'envelope'>) =>
  async (reader: SshKeyReader, id: string): Promise<string | undefined> => {
    const row = await findSshKey(reader, id)
    return row === undefined ? undefined : envelope.openText(row.valueSealed, sealingContext(id))
  }
