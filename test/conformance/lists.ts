import { readFile } from 'node:fs/promises'

export type Mode = 'cloud' | 'enterprise'

const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(new URL(file, import.meta.url), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** Names of the tests that pass in this mode and must go on passing, as they stand in the file. */
export const readAllowed = (mode: Mode): Promise<string[]> => linesOf(`allowed-${mode}.txt`)

/** Why a test is not allowed in both modes, by its name, in the order of the file. */
export const readReasons = async (): Promise<Map<string, string>> =>
  new Map(
    (await linesOf('not-yet.txt')).map((line) => {
      const [name = '', ...words] = line.split(/\s+/)
      return [name, words.join(' ')]
    }),
  )
