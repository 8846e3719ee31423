import type { FC, PropsWithChildren } from 'hono/jsx'

/** The one thing on a page that has nothing else: an error, an empty list. */
export const Notice: FC<PropsWithChildren<{ title: string; code?: string }>> = ({ title, code, children }) => (
  <section class="notice">
    {code && <p class="notice-code">{code}</p>}
    <h1>{title}</h1>
    {children}
  </section>
)
