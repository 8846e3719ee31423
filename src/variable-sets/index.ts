export { variableSetEndpoints, variableSetLoaders } from './endpoints.ts'
export { makeVariableSets } from './variable-sets.ts'
export type { VariableSets } from './variable-sets.ts'
