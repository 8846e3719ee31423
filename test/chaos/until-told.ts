import type { Project } from '../harness/project.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Waits until `text` is in the log of the apply: what is still in the pipe between terraform and its runner goes with the runner. */
export const untilTold = (project: Project, runId: string, text: string): Promise<boolean> =>
  waitFor(async () => (await project.log(await project.run(runId), 'apply')).includes(text), {
    timeoutMs: 20_000,
    what: `the log to tell "${text}"`,
  })
