import { build } from 'esbuild'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** Scripts, styles and pictures of the pages into `outdir`, named NAME-HASH.EXT after their content. */
export const buildAssets = async (outdir) => {
  await rm(outdir, { recursive: true, force: true })
  await mkdir(outdir, { recursive: true })
  const icon = 'src/ui/styles/icon.svg'
  const hash = createHash('sha256')
    .update(await readFile(icon))
    .digest('hex')
    .slice(0, 8)
    .toUpperCase()
  const { metafile } = await build({
    entryPoints: { islands: 'src/ui/islands/main.ts', terrane: 'src/ui/styles/main.css' },
    outdir,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    tsconfig: 'src/ui/islands/tsconfig.json',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  await cp(icon, join(outdir, `icon-${hash}.svg`))
  return metafile
}
