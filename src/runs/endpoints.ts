import type { Endpoint } from '../api/index.ts'
import { configurationEndpoints } from './endpoints/configuration-endpoints.ts'
import { eventEndpoints } from './endpoints/event-endpoints.ts'
import { planEndpoints } from './endpoints/plan-endpoints.ts'
import { runEndpoints } from './endpoints/run-endpoints.ts'
import type { Runs } from './index.ts'

/** Runs, plans, applies, their logs and documents, run events, comments, configuration versions. */
export const makeRunEndpoints = (runs: Runs, limits: { configurationBytes: number }): Endpoint[] => [
  ...runEndpoints(runs),
  ...eventEndpoints(runs),
  ...planEndpoints(runs),
  ...configurationEndpoints(runs, limits.configurationBytes),
]
