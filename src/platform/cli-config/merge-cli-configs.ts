import type { CliConfigItem } from './cli-config-item.ts'
import { hostKey } from './host-key.ts'

const labelled = new Set(['credentials', 'host', 'credentials_helper'])
const switches = new Set(['disable_checkpoint', 'disable_checkpoint_signature', 'plugin_cache_may_break_dependency_lock_file'])

/**
 * Removes from each file what would be read differently in one file than in several. Terraform merges files by rules of their own
 * (`Config.Merge` of its package cliconfig, 1.11): the first `plugin_cache_dir` holds, a switch that is on anywhere is on, and a later file
 * replaces the whole block of a host; within one file the later setting wins and blocks of a host are united. The result in the same order.
 */
export const mergeCliConfigs = (files: CliConfigItem[][]): CliConfigItem[][] => {
  const effective = files.map((items) => items.filter((item, index) => !isSingle(item) || isLast(items, index)))
  const cacheFile = effective.findIndex((items) => items.some((item) => item.keys[0] === 'plugin_cache_dir' && item.value !== '""'))
  return effective.map((items, file) =>
    items.filter((item) => {
      if (item.keys[0] === 'plugin_cache_dir') return file === cacheFile
      if (isSwitch(item)) return isOn(item)
      const id = blockId(item)
      return id === undefined || !effective.slice(file + 1).some((later) => later.some((other) => blockId(other) === id))
    }),
  )
}

/** What names a block of which a later file's replaces an earlier file's; undefined for everything else. */
const blockId = ({ keys: [name = '', label] }: CliConfigItem): string | undefined =>
  labelled.has(name) && label !== undefined ? `${name} ${hostKey(label)}` : undefined

const isSwitch = (item: CliConfigItem): boolean => switches.has(item.keys[0] ?? '')

const isSingle = (item: CliConfigItem): boolean => item.keys[0] === 'plugin_cache_dir' || isSwitch(item)

const isLast = (items: CliConfigItem[], index: number): boolean =>
  !items.slice(index + 1).some((later) => later.keys[0] === items[index]?.keys[0])

const isOn = (item: CliConfigItem): boolean => /^"?(true|t|1)"?$/i.test(item.value ?? '')
