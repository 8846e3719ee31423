import type { Ctx } from '../../../platform/context.ts'
import type { UiDeps } from '../../deps.ts'
import { planDocument } from './plan-document.ts'
import { type PlanSummary, summarizePlan } from './summarize-plan.ts'

const MAX_BYTES = 16 * 1024 * 1024
const KEPT = 32

/** Reads plans for the page. They never change, so the last ones are kept. `too-large`: only the log shows it. */
export const makeReadPlan = ({ runs, log }: Pick<UiDeps, 'runs' | 'log'>) => {
  const kept = new Map<string, PlanSummary>()

  return async (ctx: Ctx, planId: string): Promise<PlanSummary | 'too-large' | undefined> => {
    const content = await runs.redactedPlan(ctx, planId)
    const known = kept.get(planId)
    if (known !== undefined || content === undefined) return known
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of content) {
      bytes += part.length
      if (bytes > MAX_BYTES) return 'too-large'
      parts.push(part)
    }
    const { data, error } = planDocument.safeParse(JSON.parse(Buffer.concat(parts).toString('utf8')))
    if (error) {
      log.warn({ planId, problem: error.message }, 'plan document has an unknown form')
      return undefined
    }
    const summary = summarizePlan(data)
    kept.set(planId, summary)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break
      kept.delete(oldest)
    }
    return summary
  }
}

export type ReadPlan = ReturnType<typeof makeReadPlan>
