import type { Actor } from '../../platform/context.ts'

/** Who is signed in, as a page knows it. */
export type Session = {
  actor: Extract<Actor, { kind: 'user' }>
  email: string
  /** Belongs into every form of the session; another site cannot know it. */
  csrfToken: string
  expiresAt: Date
}

/** `secret` goes into the cookie and nowhere else. */
export type NewSession = { secret: string; expiresAt: Date }
