import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import * as openpgp from 'openpgp'
import { releasePlatform } from '../../src/runner/engines/release-platform.ts'

export type ZipEntry = { name: string; content: string; mode?: number }

/** A zip archive with stored entries, exactly as given: double names, links and wrong paths included. */
export const makeZip = (entries: ZipEntry[]): Buffer => {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, mode = 0o100755 } of entries) {
    const data = Buffer.from(content)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    common.copy(head, 4)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(0x0314, 4)
    common.copy(central, 6)
    central.writeUInt32LE((mode << 16) >>> 0, 38)
    central.writeUInt32LE(offset, 42)
    files.push(head, Buffer.from(name), data)
    directory.push(central, Buffer.from(name))
    offset += head.length + Buffer.byteLength(name) + data.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, listing, end])
}

/** A program that answers `terraform version -json` as the given version. */
export const fakeEngine = (version: string): string => `#!/bin/sh\necho '{"terraform_version": "${version}"}'\n`

export const generateSigningKey = async (date = new Date()) => {
  const { privateKey, publicKey } = await openpgp.generateKey({
    userIDs: [{ name: 'Release Test', email: 'release@example.com' }],
    format: 'object',
    date,
    subkeys: [{ sign: true }],
  })
  return { privateKey, armored: publicKey.armor() }
}

export const signDetached = async (content: Uint8Array, privateKey: openpgp.PrivateKey, date = new Date()): Promise<Buffer> => {
  const message = await openpgp.createMessage({ binary: content })
  return Buffer.from(await openpgp.sign({ message, signingKeys: privateKey, detached: true, format: 'binary', date }))
}

/** A release mirror on loopback. `files` may be changed at any time, `requests` lists the paths asked for. */
export const startMirror = async (privateKey: openpgp.PrivateKey) => {
  const files = new Map<string, Buffer>()
  const requests: string[] = []
  const authorizations = new Set<string | undefined>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    authorizations.add(request.headers.authorization)
    const content = files.get(path)
    if (content === undefined) response.writeHead(404).end('not here')
    else response.writeHead(200).end(content)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { os, arch } = releasePlatform()
  const archivePath = (version: string): string => `/terraform/${version}/terraform_${version}_${os}_${arch}.zip`
  const sumsPath = (version: string): string => `/terraform/${version}/terraform_${version}_SHA256SUMS`

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    requests,
    authorizations,
    archivePath,
    sumsPath,
    downloads: (version: string): number => requests.filter((path) => path === archivePath(version)).length,

    publish: async (version: string, archive = makeZip([{ name: 'terraform', content: fakeEngine(version) }])): Promise<void> => {
      const sum = createHash('sha256').update(archive).digest('hex')
      const sums = Buffer.from(
        `${'0'.repeat(64)}  terraform_${version}_plan9_amd64.zip\n${sum}  ${archivePath(version).split('/').pop()}\n`,
      )
      files.set(archivePath(version), archive)
      files.set(sumsPath(version), sums)
      files.set(`${sumsPath(version)}.sig`, await signDetached(sums, privateKey))
    },

    list: (versions: string[], elsewhere: string[] = []): void => {
      const entry = (version: string, build: { os: string; arch: string }) =>
        [version, { name: 'terraform', version, builds: [build] }] as const
      const all = [
        ...versions.map((version) => entry(version, { os, arch })),
        ...elsewhere.map((version) => entry(version, { os: 'plan9', arch })),
      ]
      files.set('/terraform/index.json', Buffer.from(JSON.stringify({ name: 'terraform', versions: Object.fromEntries(all) })))
    },

    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
