import { accountTables } from '../accounts/tables.ts'
import { organizationTables } from '../organizations/tables.ts'
import type { Kit } from '../platform/db/kit.ts'
import { platformTables } from '../platform/db/tables.ts'
import { runnerTables } from '../runner/tables.ts'
import { runTables } from '../runs/tables.ts'
import { sshKeyTables } from '../ssh-keys/tables.ts'
import { stateTables } from '../state/tables.ts'
import { variableSetTables } from '../variable-sets/tables.ts'
import { workspaceTables } from '../workspaces/tables.ts'

/** Every table of the product in one dialect. */
export const makeTables = (k: Kit) => {
  const accounts = accountTables(k)
  const organizations = organizationTables(k, accounts)
  const workspaces = workspaceTables(k, organizations)
  const runs = runTables(k, workspaces)
  return {
    ...platformTables(k),
    ...accounts,
    ...organizations,
    ...workspaces,
    ...sshKeyTables(k, organizations),
    ...variableSetTables(k, { ...organizations, ...workspaces }),
    ...stateTables(k, workspaces),
    ...runs,
    ...runnerTables(k, runs),
  }
}

export type Tables = ReturnType<typeof makeTables>
