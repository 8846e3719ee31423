import type { toVariable } from '../../workspaces/index.ts'
import type { SetVariableRow } from '../variable-set.ts'

/** A variable of a set as it is shown: the value of a sensitive one is null. */
export type SetVariable = ReturnType<typeof toVariable<SetVariableRow>>
