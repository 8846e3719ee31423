import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCliConfig } from '../platform/cli-config/parse-cli-config.ts'
import { AppError } from '../platform/errors.ts'

/** What the server wrote for clients of its machine, see main/client-files.ts. */
export type ServerFiles = {
  /** Content of terraform.rc. */
  terraformRc: string
  /** Name by which terraform knows the server, e.g. `localhost`. */
  hostname: string
  /** Base URL, without a slash at the end. */
  url: string
  token: string | undefined
  caPem: string | undefined
}

/** Throws AppError NOT_FOUND where no server has run with `dataDir`, FORBIDDEN where its files are not readable. */
export const readServerFiles = async (dataDir: string): Promise<ServerFiles> => {
  const file = join(dataDir, 'terraform.rc')
  const terraformRc = await readIfThere(file)
  if (terraformRc === undefined)
    throw new AppError(
      'NOT_FOUND',
      `No server has run with ${dataDir} yet. Start one with terrane server, or name its directory with --data.`,
    )
  const items = parseCliConfig(terraformRc)
  const host = items.find(({ keys }) => keys[0] === 'host')
  const url = setting(host?.text, 'tfe.v2')
  const hostname = host?.keys[1]
  if (hostname === undefined || url === undefined)
    throw new AppError('CONFLICT', `${file} names no server. Restart the server: it writes the file anew.`)
  return {
    terraformRc,
    hostname,
    url: new URL(url).origin,
    token: setting(items.find(({ keys }) => keys[0] === 'credentials')?.text, 'token'),
    caPem: await readIfThere(join(dataDir, 'ca.pem')),
  }
}

/** The string that `name` is set to in the text of a block that formatBlock wrote. */
const setting = (block: string | undefined, name: string): string | undefined => {
  const line = block?.split('\n').find((each) => [`"${name}"`, name].some((key) => each.trimStart().startsWith(`${key} = "`)))
  return line === undefined ? undefined : String(JSON.parse(line.slice(line.indexOf('= ') + 2)))
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    if (error.code === 'EACCES') throw new AppError('FORBIDDEN', `${file} belongs to another user. Run this as the user of the server.`)
    throw error
  })
