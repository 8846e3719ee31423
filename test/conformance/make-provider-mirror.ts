import { chmod, constants, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached, go } from './go.ts'

const sources = fileURLToPath(new URL('providers', import.meta.url))
/** One program under two names and the versions that the fixtures of go-tfe accept. */
const providers = { null: '3.2.4', random: '3.6.3' }

/**
 * Lays out the stand-ins of providers/ as a filesystem mirror in `directory`, which other users must be able to read. The path of a CLI
 * configuration that takes everything of the public registry, which is `host`, from there.
 */
export const makeProviderMirror = async (directory: string, host = 'registry.terraform.io'): Promise<string> => {
  const binary = await cached(
    'providers',
    sources,
    ['go.mod', 'go.sum', 'main.go', 'null.go', 'random.go'],
    'build',
    '-trimpath',
    '-ldflags=-s -w',
    '.',
  )
  const platform = (await go(sources, 'env', 'GOOS', 'GOARCH')).replace('\n', '_')
  for (const [name, version] of Object.entries(providers)) {
    const folder = join(directory, host, 'hashicorp', name, version, platform)
    await mkdir(folder, { recursive: true })
    const file = join(folder, `terraform-provider-${name}_v${version}`)
    await copyFile(binary, file, constants.COPYFILE_FICLONE)
    await chmod(file, 0o755)
  }
  const configuration = join(directory, 'terraform.rc')
  await writeFile(
    configuration,
    `provider_installation {
  filesystem_mirror {
    path = ${JSON.stringify(directory)}
  }
  direct {
    exclude = ["${host}/*/*"]
  }
}
`,
  )
  return configuration
}
