import type { ResourceProgress } from '../../gen/runner/v1/runner.ts'
import { addressesIn } from './addresses-in.ts'

export type RecordedProgress = {
  progress(progress: ResourceProgress): void
  /** A state that will not be lost any more. */
  saw(state: Buffer): void
  /** The engine has ended by itself, so that its last state holds all that it told. */
  flush(): void
}

/**
 * Progress of an apply as far as it is certain: a resource is complete once a state shows it. The engine tells it first and then writes the
 * state, and may be killed in between; such a resource stays in flight.
 */
export const makeRecordedProgress = (emit: (progress: ResourceProgress) => void): RecordedProgress => {
  let told: ResourceProgress[] = []
  return {
    progress: (progress) => {
      if (progress.state === 'complete') told.push(progress)
      else emit(progress)
    },
    saw: (state) => {
      if (told.length === 0) return
      const addresses = addressesIn(state.toString('utf8'))
      const isRecorded = ({ address, action }: ResourceProgress): boolean => addresses.has(address) === (action !== 'delete')
      const recorded = told.filter(isRecorded)
      told = told.filter((progress) => !recorded.includes(progress))
      for (const progress of recorded) emit(progress)
    },
    flush: () => {
      for (const progress of told) emit(progress)
      told = []
    },
  }
}
