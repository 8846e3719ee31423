import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'

/** A file's text, or where a symbolic link leads. */
export type Tree = Record<string, string | { link: string }>

/** `tar czf - .` of the tree, by the machine's own tar. */
export const packTree = (tree: Tree): Promise<Buffer> => inTree(tree, (directory) => output('tar', ['czf', '-', '-C', directory, '.']))

/** `git archive` of the tree as a commit: it begins with a global header. */
export const packCommit = (tree: Tree): Promise<Buffer> =>
  inTree(tree, async (directory) => {
    const git = (...args: string[]) => output('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
    await git('init', '--quiet')
    await git('add', '.')
    await git('commit', '--quiet', '--message', 'all')
    return git('archive', '--format=tar.gz', 'HEAD')
  })

const inTree = async (tree: Tree, pack: (directory: string) => Promise<Buffer>): Promise<Buffer> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-tree-'))
  try {
    await writeTree(directory, tree)
    return await pack(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const output = (command: string, args: string[]): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { encoding: 'buffer' }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })

const writeTree = async (directory: string, tree: Tree): Promise<void> => {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await (typeof content === 'string' ? writeFile(file, content) : symlink(content.link, file))
  }
}

/** The entries as they are, in this order, whatever comes of them. */
export const packEntries = (...entries: [path: string, content: string | { link: string }][]): Buffer => {
  const blocks = entries.map(([path, content]) => {
    const body = Buffer.from(typeof content === 'string' ? content : '')
    const header = Buffer.alloc(512)
    const kind = typeof content === 'string' ? { type: 'File' as const } : { type: 'SymbolicLink' as const, linkpath: content.link }
    new Header({ path, mode: 0o644, size: body.length, mtime: new Date(0), ...kind }).encode(header)
    return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
