import type { FC } from 'hono/jsx'

/** Paths of 24 × 24 icons, drawn with strokes. */
const shapes = {
  terrane: ['M3 17l6-4 6 4 6-4', 'M3 12l6-4 6 4 6-4', 'M3 7l6-4 6 4 6-4', 'M3 22l6-4 6 4 6-4'],
  check: ['M5 12.5l4.5 4.5L19 7.5'],
  cross: ['M6 6l12 12', 'M18 6L6 18'],
  clock: ['M12 3a9 9 0 100 18 9 9 0 000-18z', 'M12 7v5l3 2'],
  pause: ['M9 6v12', 'M15 6v12'],
  ban: ['M12 3a9 9 0 100 18 9 9 0 000-18z', 'M5.7 5.7l12.6 12.6'],
  dash: ['M6 12h12'],
  save: ['M6 4h12v16l-6-4-6 4z'],
  lock: ['M6 11h12v9H6z', 'M8 11V8a4 4 0 018 0v3'],
  unlock: ['M6 11h12v9H6z', 'M8 11V8a4 4 0 017.7-1.5'],
  download: ['M12 4v11', 'M7 11l5 5 5-5', 'M5 20h14'],
  copy: ['M9 9h11v11H9z', 'M15 9V4H4v11h5'],
  spinner: ['M12 3a9 9 0 019 9'],
} as const

export type IconName = keyof typeof shapes

/** An ornament: what it means is said by the text beside it. */
export const Icon: FC<{ name: IconName }> = ({ name }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
    {shapes[name].map((d) => (
      <path d={d} />
    ))}
  </svg>
)
