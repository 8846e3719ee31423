import type { FC } from 'hono/jsx'
import { Icon } from './icon.tsx'

/** Text for other programs, with a button to copy it where scripts run. */
export const CopyText: FC<{ text: string; label: string }> = ({ text, label }) => (
  <copy-text>
    <code>{text}</code>
    <button type="button" class="copy" aria-label={`Copy ${label}`} hidden>
      <Icon name="copy" />
    </button>
  </copy-text>
)
