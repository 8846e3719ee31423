const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** LIKE pattern (escape character `\`) for names that contain `text`. */
export const containsPattern = (text: string): string => `%${escaped(text)}%`

/** LIKE pattern for `text` with `*` standing for any characters. */
export const wildcardPattern = (text: string): string => text.split('*').map(escaped).join('%')
