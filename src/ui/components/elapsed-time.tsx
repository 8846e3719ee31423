import type { FC } from 'hono/jsx'

/** How long something took, or goes on already: then scripts count on. */
export const ElapsedTime: FC<{ from: Date; to: Date | undefined }> = ({ from, to }) =>
  to === undefined ? (
    <elapsed-time data-since={from.toISOString()}></elapsed-time>
  ) : (
    <span>{formatSeconds(Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000)))}</span>
  )

const formatSeconds = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
