import type { FC, PropsWithChildren } from 'hono/jsx'

/** A message above what it is about. `danger` is read out at once. */
export const Alert: FC<PropsWithChildren<{ tone: 'danger' | 'info' | 'success' | 'warning' }>> = ({ tone, children }) => (
  <div class={`alert tone-${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
    {children}
  </div>
)
