import { describe, expect, it } from 'vitest'
import type { ResourceProgress } from '../../gen/runner/v1/runner.ts'
import { makeRecordedProgress } from './make-recorded-progress.ts'

const progressOf = (address: string, state: string, action = 'create'): ResourceProgress => ({
  address,
  state,
  action,
  idKey: '',
  idValue: '',
})

const stateOf = (...resources: unknown[]): Buffer => Buffer.from(JSON.stringify({ version: 4, lineage: 'l', serial: 1, resources }))
const resource = (name: string, ...instances: unknown[]) => ({ mode: 'managed', type: 'terraform_data', name, instances })

const recording = () => {
  const emitted: string[] = []
  const recorded = makeRecordedProgress(({ address, state }) => emitted.push(`${address} ${state}`))
  return { emitted, recorded }
}

describe('progress of an apply', () => {
  it('says that a resource is complete when a state shows it', () => {
    const { emitted, recorded } = recording()
    recorded.progress(progressOf('terraform_data.a', 'start'))
    recorded.progress(progressOf('terraform_data.a', 'complete'))
    recorded.saw(stateOf(resource('b', {})))
    expect(emitted).toEqual(['terraform_data.a start'])
    recorded.saw(stateOf(resource('b', {}), resource('a', {})))
    expect(emitted).toEqual(['terraform_data.a start', 'terraform_data.a complete'])
    recorded.flush()
    expect(emitted).toHaveLength(2)
  })

  it('says that a resource is gone when the state is without it, and knows modules, keys and what is deposed', () => {
    const { emitted, recorded } = recording()
    const inModule = { ...resource('m', { index_key: 'k"1' }, { index_key: 2 }), module: 'module.x["y"]' }
    for (const address of [
      'module.x["y"].terraform_data.m["k\\"1"]',
      'module.x["y"].terraform_data.m[2]',
      'module.x["y"].terraform_data.m[3]',
    ])
      recorded.progress(progressOf(address, 'complete'))
    recorded.progress(progressOf('terraform_data.old', 'complete', 'delete'))
    recorded.progress(progressOf('terraform_data.there', 'complete', 'delete'))
    recorded.saw(stateOf(inModule, resource('old', { deposed: '1a2b3c4d' }), resource('there', {})))
    expect(emitted).toEqual([
      'module.x["y"].terraform_data.m["k\\"1"] complete',
      'module.x["y"].terraform_data.m[2] complete',
      'terraform_data.old complete',
    ])
  })

  it('says the rest when the engine has ended by itself; errors at once', () => {
    const { emitted, recorded } = recording()
    recorded.progress(progressOf('terraform_data.a', 'errored'))
    recorded.progress(progressOf('terraform_data.b', 'complete', 'delete'))
    recorded.saw(stateOf(resource('b', {})))
    expect(emitted).toEqual(['terraform_data.a errored'])
    recorded.flush()
    expect(emitted).toEqual(['terraform_data.a errored', 'terraform_data.b complete'])
  })

  it('leaves in flight what was made and is in no state, on a full disk perhaps', () => {
    const { emitted, recorded } = recording()
    recorded.saw(stateOf(resource('a', {})))
    recorded.progress(progressOf('terraform_data.a', 'complete'))
    recorded.progress(progressOf('terraform_data.b', 'complete'))
    recorded.flush()
    expect(emitted).toEqual(['terraform_data.a complete'])
  })

  it('takes a state that it cannot look into to hold what was made', () => {
    const { emitted, recorded } = recording()
    recorded.progress(progressOf('terraform_data.a', 'complete'))
    recorded.saw(Buffer.from('{"version":4,"serial":1,"encrypted_data":"x"}'))
    expect(emitted).toEqual([])
    recorded.flush()
    expect(emitted).toEqual(['terraform_data.a complete'])
  })
})
