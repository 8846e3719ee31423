import { assignSshKey } from './assign-ssh-key.ts'
import { createSshKey } from './create-ssh-key.ts'
import { deleteSshKey } from './delete-ssh-key.ts'
import { getSshKey } from './get-ssh-key.ts'
import { listSshKeys } from './list-ssh-keys.ts'
import { openSshKey } from './open-ssh-key.ts'
import type { SshKeyDeps } from './ssh-key.ts'
import { updateSshKey } from './update-ssh-key.ts'

/** Private keys with which runs fetch modules from git. */
export const makeSshKeys = (d: SshKeyDeps) => ({
  createSshKey: createSshKey(d),
  getSshKey: getSshKey(d),
  listSshKeys: listSshKeys(d),
  updateSshKey: updateSshKey(d),
  deleteSshKey: deleteSshKey(d),
  assignSshKey: assignSshKey(d),
  openSshKey: openSshKey(d),
})

export type SshKeys = ReturnType<typeof makeSshKeys>
