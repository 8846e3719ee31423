import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { discoveryServices, loginService } from '../api/well-known.ts'
import { formatBlock } from '../platform/cli-config/format-block.ts'
import { writeWholeFile } from '../platform/write-whole-file.ts'
import { isLoopback } from './listen-address.ts'

export type ClientFiles = {
  dataDir: string
  publicUrl: string
  /** Of the first administrator when it was just made; undefined later: the one of admin.token, if the operator left it there. */
  token: string | undefined
  /** Of the own authority, with `--tls self`. */
  caPem?: string
}

/**
 * The name by which terraform knows this server: the host and port of `publicUrl`, but `localhost` for HTTP on loopback, which terraform
 * reaches only through the `host` block of the written configuration.
 */
export const terraformHostname = (publicUrl: string): string => {
  const { protocol, host, hostname } = new URL(publicUrl)
  return protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : host
}

/**
 * Writes what a client on this machine needs into the data directory: `admin.token`, `terraform.rc` (host block and credentials, enough
 * by itself) and `ca.pem`. Files that tell secrets have mode 0600.
 */
export const writeClientFiles = async ({ dataDir, publicUrl, token, caPem }: ClientFiles): Promise<{ hostname: string }> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const tokenFile = join(dataDir, 'admin.token')
  if (token !== undefined) await writeWholeFile(tokenFile, `${token}\n`, 0o600)
  const known = token ?? (await readIfThere(tokenFile))?.trim()
  const hostname = terraformHostname(publicUrl)
  const services = {
    ...Object.fromEntries(Object.entries(discoveryServices).map(([name, path]) => [name, `${publicUrl}${path}`])),
    'login.v1': loginService(publicUrl),
  }
  const blocks = [formatBlock(['host', hostname], { services })]
  if (known) blocks.push(formatBlock(['credentials', hostname], { token: known }))
  const text = `# Written by terrane at each start.\n${blocks.join('\n')}\n`
  await writeWholeFile(join(dataDir, 'terraform.rc'), text, 0o600)
  const caFile = join(dataDir, 'ca.pem')
  await (caPem === undefined ? rm(caFile, { force: true }) : writeWholeFile(caFile, caPem, 0o644))
  return { hostname }
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
