const BEARER = /^Bearer +([\x21-\x7e]{1,2048})$/i

/** The token of an Authorization header; undefined when there is none or it cannot be one. */
export const bearerToken = (header: string | undefined): string | undefined => header && BEARER.exec(header.trim())?.[1]
