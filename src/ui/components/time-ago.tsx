import type { FC } from 'hono/jsx'

/** A moment. Scripts show it relative to now, in the reader's own time; without them it is UTC. */
export const TimeAgo: FC<{ at: Date | string }> = ({ at }) => {
  const iso = new Date(at).toISOString()
  return (
    <time-ago>
      <time datetime={iso}>{`${iso.slice(0, 16).replace('T', ' ')} UTC`}</time>
    </time-ago>
  )
}
