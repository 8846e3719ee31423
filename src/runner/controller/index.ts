/** The runners' side of the controller: who executes phases, where, and under which identity. */
export { makeAllocator, type Allocator } from './allocator.ts'
export { activeAuthority, makeRunnerAuthority, type AuthorityPurpose } from './authorities.ts'
export type { ControllerDeps } from './deps.ts'
export { makeExecutor, type JobSignals } from './executor.ts'
export { makeInProcessPlacement } from './in-process-placement.ts'
export type { Placement } from './placement.ts'
export { makeProcessPlacement } from './process-placement.ts'
export type { RunAccess } from './run-access.ts'
