import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeZip } from './release-mirror.ts'
import { releasePlatform } from '../../src/runner/engines/release-platform.ts'

/** Runs the real `terraform init` in `directory`; `env` is all that it sees beside PATH. The output holds both streams. */
export const terraformInit = async (directory: string, env: Record<string, string>): Promise<{ ok: boolean; output: string }> =>
  new Promise((resolve) => {
    const environment = { PATH: process.env['PATH'] ?? '', CHECKPOINT_DISABLE: '1', ...env }
    execFile('terraform', ['init', '-input=false', '-no-color'], { cwd: directory, env: environment }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}${error?.code === 'ENOENT' ? 'terraform is not on PATH' : ''}` }),
    )
  })

/** A filesystem mirror with one provider `registry.example/acme/fake`, which init installs and never starts. */
export const makeProviderMirror = async (directory: string): Promise<void> => {
  const { os, arch } = releasePlatform()
  const folder = join(directory, 'registry.example/acme/fake')
  await mkdir(folder, { recursive: true })
  const archive = makeZip([{ name: 'terraform-provider-fake_v1.0.0', content: '#!/bin/sh\nexit 1\n' }])
  await writeFile(join(folder, `terraform-provider-fake_1.0.0_${os}_${arch}.zip`), archive)
}

/** A host that answers 404 to everything and notes which Authorization header came to which path. */
export const startTokenSpy = async () => {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    seen.add(`${request.url} ${request.headers.authorization}`)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
