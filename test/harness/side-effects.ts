import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { waitFor } from './wait-for.ts'

/** Resources that leave a mark for each time they are made, and wait in the middle until they are let through. */
export type SideEffects = {
  /** A chain `terraform_data.step0` … that prints `lines` numbered lines each. Those in `gates` wait before their end. */
  configuration(options: {
    steps: number
    gates: number[]
    lines?: number
    /** How long steps take. */ seconds?: Record<number, number>
  }): string
  /** Lets a waiting step through, now or later. */
  open(step: number): Promise<void>
  /** How often each step was begun, by its number. */
  counts(): Promise<Record<number, number>>
  /** Resolves when the step was begun for the `times`-th time. */
  begun(step: number, times?: number): Promise<void>
}

export const makeSideEffects = async (): Promise<SideEffects> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-effects-'))
  // Engines may run as users of their own.
  await chmod(directory, 0o1777)
  onTestFinished(() => rm(directory, { recursive: true, force: true }))

  const counts = async (): Promise<Record<number, number>> => {
    const marks = (await readdir(directory)).flatMap((name) => /^ran-(\d+)\./.exec(name)?.[1] ?? [])
    return Object.fromEntries([...new Set(marks)].map((step) => [Number(step), marks.filter((mark) => mark === step).length]))
  }

  return {
    configuration: ({ steps, gates, lines = 3, seconds = {} }) =>
      Array.from({ length: steps }, (_, step) => {
        const commands = [
          `mktemp ${directory}/ran-${step}.XXXXXX > /dev/null`,
          `n=0; while [ $n -lt ${lines} ]; do echo "step ${step} line $n"; n=$((n+1)); done`,
          ...(seconds[step] === undefined ? [] : [`sleep ${seconds[step]}`]),
          ...(gates.includes(step) ? [`while [ ! -e ${directory}/go-${step} ]; do sleep 0.05; done`] : []),
        ]
        return `
resource "terraform_data" "step${step}" {
  input      = ${step}
  depends_on = [${step === 0 ? '' : `terraform_data.step${step - 1}`}]
  provisioner "local-exec" {
    command = ${JSON.stringify(commands.join('\n'))}
  }
}
`
      }).join(''),
    open: (step) => writeFile(join(directory, `go-${step}`), ''),
    counts,
    begun: async (step, times = 1) => {
      await waitFor(async () => ((await counts())[step] ?? 0) >= times, {
        timeoutMs: 60_000,
        everyMs: 20,
        what: `step ${step} to begin for the ${times}. time`,
      })
    },
  }
}
