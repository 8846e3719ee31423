import { html } from 'hono/html'
import type { FC } from 'hono/jsx'
import type { Session } from '../accounts/index.ts'
import type { Assets } from './assets.ts'
import { Icon } from './components/icon.tsx'
import type { Crumb, PageAnswer } from './http/route.ts'
import { paths } from './paths.ts'

type Props = { page: PageAnswer; session: Session | undefined; nonce: string; assets: Assets }

const Layout: FC<Props> = ({ page, session, nonce, assets }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${page.title} · Terrane`}</title>
      <link rel="icon" href={assets.href('icon.svg')} type="image/svg+xml" />
      <link rel="stylesheet" href={assets.href('terrane.css')} />
      <script type="module" nonce={nonce} src={assets.href('islands.js')}></script>
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={paths.organizations}>
          <Icon name="terrane" />
          <span>Terrane</span>
        </a>
        <Crumbs crumbs={page.crumbs ?? []} />
        {session && <Account session={session} />}
      </header>
      <main id="main">{page.body}</main>
    </body>
  </html>
)

const Crumbs: FC<{ crumbs: readonly Crumb[] }> = ({ crumbs }) =>
  crumbs.length === 0 ? null : (
    <nav class="crumbs" aria-label="Where you are">
      <ol>
        {crumbs.map(({ label, href }) => (
          <li>{href === undefined ? <span aria-current="page">{label}</span> : <a href={href}>{label}</a>}</li>
        ))}
      </ol>
    </nav>
  )

const Account: FC<{ session: Session }> = ({ session }) => (
  <details class="menu account">
    <summary>
      <span class="avatar" aria-hidden="true">
        {session.actor.username.slice(0, 1).toUpperCase()}
      </span>
      <span class="account-name">{session.actor.username}</span>
    </summary>
    <div class="menu-items">
      <a href={paths.tokens}>API tokens</a>
      <form method="post" action="/session/end">
        <input type="hidden" name="csrf" value={session.csrfToken} />
        <button type="submit">Sign out</button>
      </form>
    </div>
  </details>
)

/** The whole document. */
export const renderPage = async (props: Props): Promise<string> => {
  const page = await html`<!DOCTYPE html>${<Layout {...props} />}`
  return page.toString()
}
