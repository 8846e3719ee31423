import { readFile } from 'node:fs/promises'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'

/** Where Linux distributions keep what they trust, in the order in which Go looks for it. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** Writes what the engine trusts to `path`: the authorities of the system and `trustPem`. A file that the user names in the environment comes before it. */
export const writeTrust = async (path: string, trustPem: string, isolation: Isolation | undefined): Promise<void> => {
  await writeJobFile(path, `${await systemAuthorities()}\n${trustPem}`, 0o600, isolation)
}

const systemAuthorities = async (): Promise<string> => {
  for (const file of SYSTEM_FILES) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
  }
  return ''
}
