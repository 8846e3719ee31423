import { describe, expect, it } from 'vitest'
import { applyPreamble, errorLines, planPreamble } from './preamble.ts'

const terraform = { engine: 'terraform', version: '1.11.4' } as const
const engine = 'Terraform v1.11.4\non linux_amd64\nInitializing plugins and modules...\n'

describe('the begin of a log', () => {
  it('names the engine in three lines', () => {
    expect(planPreamble({ ...terraform, runUrl: undefined })).toBe(engine)
    expect(applyPreamble({ ...terraform, runUrl: undefined })).toBe(engine)
  })

  it('names OpenTofu where it is the engine', () => {
    expect(planPreamble({ engine: 'tofu', version: '1.12.6', runUrl: undefined })).toMatch(/^OpenTofu v1\.12\.6\n/)
  })

  it("names the run's page: in an apply below the three lines that the CLI skips", () => {
    const runUrl = 'http://terrane.test/app/o/workspaces/w/runs/run-1'
    expect(planPreamble({ ...terraform, runUrl })).toBe(`Run: ${runUrl}\n${engine}`)
    expect(applyPreamble({ ...terraform, runUrl })).toBe(`${engine}Run: ${runUrl}\n`)
  })
})

describe("an error of the server's", () => {
  const at = new Date('2026-01-02T03:04:05.678Z')

  it('is text in a text log', () => {
    expect(errorLines('text', at, 'Runner lost', 'Start a new run.')).toBe('\nError: Runner lost\n\nStart a new run.\n')
  })

  it('is one line in the form of the engine in a JSON log, whatever is in it', () => {
    const text = errorLines('json', at, 'Runner "lost"', 'Two\nlines.')
    expect(text.match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(text)).toEqual({
      '@level': 'error',
      '@message': 'Error: Runner "lost"',
      '@module': 'terrane',
      '@timestamp': '2026-01-02T03:04:05.678Z',
      diagnostic: { severity: 'error', summary: 'Runner "lost"', detail: 'Two\nlines.' },
      type: 'diagnostic',
    })
  })
})
