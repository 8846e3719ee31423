import { describe } from 'vitest'
import { makeBench, type RunnerUnderTest } from './runner-bench.ts'
import { testLife } from './runner-life.ts'
import { testSteps } from './runner-steps.ts'

/**
 * What every runner must do, whatever the transport: run it with a factory for fresh runners.
 * `makeRunner` answers a runner of installation `INSTALLATION` without a lease; errors must arrive as RunnerError. All
 * runners of one factory share a work root, because a plan is applied where it was made.
 */
export const describeRunner = (name: string, makeRunner: () => Promise<RunnerUnderTest>): void => {
  describe(`a runner, ${name}`, () => {
    const bench = makeBench(makeRunner)
    testSteps(bench)
    testLife(bench)
  })
}
