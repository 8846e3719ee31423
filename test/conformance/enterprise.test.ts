import { describeMode } from './describe-mode.ts'

await describeMode('enterprise')
