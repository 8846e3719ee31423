import { createHmac } from 'node:crypto'

/** Derived from the secret of the session, so there is nothing to store, and a page that shows it does not tell the secret. */
export const csrfToken = (sessionSecret: string): string => createHmac('sha256', sessionSecret).update('csrf').digest('base64url')
