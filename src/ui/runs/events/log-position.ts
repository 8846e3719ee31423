/** How much of both logs a page has, in bytes of text. The form `plan.apply` is the id of events, which browsers send when they come back. */
export type LogPosition = { plan: number; apply: number }

export const formatPosition = ({ plan, apply }: LogPosition): string => `${plan}.${apply}`

/** Anything else is the beginning. */
export const parsePosition = (text: string | undefined): LogPosition => {
  const [, plan, apply] = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? '') ?? []
  return { plan: Number(plan ?? 0), apply: Number(apply ?? 0) }
}
