import type { FC } from 'hono/jsx'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger'
export type Status = { label: string; tone: Tone; icon: IconName }

/** A status in a word, with a colour and an icon that say the same. */
export const StatusPill: FC<{ status: Status }> = ({ status: { label, tone, icon } }) => (
  <span class={`pill tone-${tone}`}>
    <Icon name={icon} />
    {label}
  </span>
)
