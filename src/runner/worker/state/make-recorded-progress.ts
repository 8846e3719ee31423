import type { ResourceProgress } from '../../gen/runner/v1/runner.ts'
import { addressesIn } from './addresses-in.ts'

export type RecordedProgress = {
  progress(progress: ResourceProgress): void
  /** A state that will not be lost any more. */
  saw(state: Buffer): void
  /** The engine has ended by itself, so that its last state holds all that it told. What it made and could not write down stays in flight. */
  flush(): void
}

/**
 * Progress of an apply as far as it is certain: a resource is complete once a state shows it. The engine tells it first and then writes the
 * state, and may be killed in between; such a resource stays in flight.
 */
export const makeRecordedProgress = (emit: (progress: ResourceProgress) => void): RecordedProgress => {
  let told: ResourceProgress[] = []
  let last: Buffer | undefined
  return {
    progress: (progress) => {
      if (progress.state === 'complete') told.push(progress)
      else emit(progress)
    },
    saw: (state) => {
      last = state
      if (told.length === 0) return
      const addresses = addressesIn(state.toString('utf8'))
      if (addresses === undefined) return
      const isRecorded = ({ address, action }: ResourceProgress): boolean => addresses.has(address) === (action !== 'delete')
      const recorded = told.filter(isRecorded)
      told = told.filter((progress) => !recorded.includes(progress))
      for (const progress of recorded) emit(progress)
    },
    flush: () => {
      const made = told.filter(({ action }) => action === 'create')
      // A state that cannot be looked into, an encrypted one, is taken to hold them.
      const addresses = made.length === 0 ? undefined : last === undefined ? new Set<string>() : addressesIn(last.toString('utf8'))
      const isLost = (progress: ResourceProgress): boolean => made.includes(progress) && addresses?.has(progress.address) === false
      for (const progress of told) if (!isLost(progress)) emit(progress)
      told = []
    },
  }
}
