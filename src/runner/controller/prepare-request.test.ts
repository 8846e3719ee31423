import { describe, expect, it } from 'vitest'
import { VariableCategory } from '../gen/runner/v1/runner.ts'
import { mergeVariables, parallelismOf } from './prepare-request.ts'

const terraform = (key: string, value: string, more: object = {}) => ({
  key,
  value,
  category: 'terraform' as const,
  hcl: false,
  sensitive: false,
  ...more,
})
const env = (key: string, value: string) => ({ key, value, category: 'env' as const, hcl: false, sensitive: false })

describe('the variables of a run', () => {
  it('are those of the workspace, as they are', () => {
    const variables = [terraform('a', '1', { hcl: true }), terraform('b', 'x', { sensitive: true }), env('TF_LOG', 'INFO')]
    expect(mergeVariables({ variables, runVariables: [] })).toEqual([
      { key: 'a', value: '1', hcl: true, sensitive: false, category: VariableCategory.TERRAFORM },
      { key: 'b', value: 'x', hcl: false, sensitive: true, category: VariableCategory.TERRAFORM },
      { key: 'TF_LOG', value: 'INFO', hcl: false, sensitive: false, category: VariableCategory.ENV },
    ])
  })

  it('of the run itself are HCL and beat those of the workspace, one for each key', () => {
    const merged = mergeVariables({
      variables: [terraform('a', 'workspace', { sensitive: true }), env('a', 'environment')],
      runVariables: [
        { key: 'a', value: '"first"' },
        { key: 'a', value: '"second"' },
        { key: 'new', value: '[1, 2]' },
      ],
    })
    expect(merged).toEqual([
      { key: 'a', value: '"second"', hcl: true, sensitive: true, category: VariableCategory.TERRAFORM },
      { key: 'a', value: 'environment', hcl: false, sensitive: false, category: VariableCategory.ENV },
      { key: 'new', value: '[1, 2]', hcl: true, sensitive: false, category: VariableCategory.TERRAFORM },
    ])
  })
})

describe('a variable with priority', () => {
  it('beats those of the run; one of the environment does not reach across', () => {
    const variables = [terraform('a', 'fixed', { priority: true }), { ...env('b', 'x'), priority: true }, terraform('c', 'plain')]
    const runVariables = ['a', 'b', 'c'].map((key) => ({ key, value: '"run"' }))
    expect(mergeVariables({ variables, runVariables }).map(({ key, value, category }) => [key, value, category])).toEqual([
      ['a', 'fixed', VariableCategory.TERRAFORM],
      ['b', 'x', VariableCategory.ENV],
      ['c', '"run"', VariableCategory.TERRAFORM],
      ['b', '"run"', VariableCategory.TERRAFORM],
    ])
  })
})

describe('the parallelism', () => {
  it.each([
    [undefined, 0],
    ['1', 1],
    ['256', 256],
    ['0', 0],
    ['257', 0],
    ['-1', 0],
    ['5.5', 0],
    ['many', 0],
    ['', 0],
  ])('of %o is %i', (value, expected) => {
    expect(parallelismOf({ variables: value === undefined ? [] : [env('TFE_PARALLELISM', value)] })).toBe(expected)
  })

  it('is not taken from an input variable', () => {
    expect(parallelismOf({ variables: [terraform('TFE_PARALLELISM', '3')] })).toBe(0)
  })
})
