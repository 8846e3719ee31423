import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const STALE = [/^terraform\.tfstate(\..*)?$/, /^errored\.tfstate$/, /\.tfstate\.lock\.info$/]
const STALE_DATA = ['terraform.tfstate', 'environment']

/**
 * Removes from the working directory what an engine elsewhere left and ours would take for its own: states, locks, and the
 * record of another backend, with which init fails.
 */
export const removeStaleFiles = (directory: string): void => {
  for (const name of readdirSync(directory))
    if (STALE.some((pattern) => pattern.test(name))) rmSync(join(directory, name), { recursive: true, force: true })
  // A `.terraform` that is a link leads to other files of the archive; removing the link leaves those alone.
  const data = readdirSync(directory, { withFileTypes: true }).find(({ name }) => name === '.terraform')
  if (data !== undefined && !data.isDirectory()) rmSync(join(directory, '.terraform'), { force: true })
  for (const name of STALE_DATA) rmSync(join(directory, '.terraform', name), { recursive: true, force: true })
}
