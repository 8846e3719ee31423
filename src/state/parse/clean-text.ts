/** Text that every database takes: no NUL, no half of a surrogate pair. States may be made by anybody. */
export const cleanText = (text: string): string => text.replaceAll('\0', '\u{fffd}').replaceAll(/\p{Surrogate}/gu, '\u{fffd}')
