import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Random } from './random-source.ts'

const RESOURCES = 7
export const LINES = 5

export type CrashEffects = {
  configuration: string
  addresses: string[]
  /** How often the provisioner of each address came to its end. */
  done(): Promise<Map<string, number>>
}

/** Resources that depend on each other at random. Each prints lines, takes its time, and at the very end appends its name to a file that outlives everything. */
export const makeCrashEffects = async (random: Random): Promise<CrashEffects> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-crash-'))
  const file = join(directory, 'effects')
  // Engines may run as users of their own.
  await chmod(directory, 0o711)
  await writeFile(file, '')
  await chmod(file, 0o666)
  onTestFinished(() => rm(directory, { recursive: true, force: true }))

  const resource = (index: number): string => {
    const before = index === 0 ? [] : [`terraform_data.r${random.whole(index)}`]
    const pauses = Array.from({ length: LINES }, () => random.between(0, 0.16).toFixed(3))
    const commands = [...pauses.map((pause, line) => `echo "r${index} line ${line}"; sleep ${pause}`), `echo r${index} >> ${file}`]
    return `resource "terraform_data" "r${index}" {
  depends_on = [${before.join(', ')}]
  provisioner "local-exec" {
    command = ${JSON.stringify(commands.join('\n'))}
  }
}
`
  }

  return {
    configuration: Array.from({ length: RESOURCES }, (_, index) => resource(index)).join(''),
    addresses: Array.from({ length: RESOURCES }, (_, index) => `terraform_data.r${index}`),
    done: async () => {
      const counts = new Map<string, number>()
      for (const name of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
        const address = `terraform_data.${name}`
        counts.set(address, (counts.get(address) ?? 0) + 1)
      }
      return counts
    },
  }
}
