/** The form in which two spellings of a service host name are equal: lower case, without the default port. */
export const hostKey = (host: string): string => host.trim().toLowerCase().replace(/:443$/, '')
