import type { EngineName } from '../../platform/engine-name.ts'
import { errorMessage, invalid } from '../../platform/errors.ts'
import { askEngine } from './ask-engine.ts'

/** What the executable at the absolute path `file` says that it is: both engines answer `version -json` alike. Throws INVALID when it is neither. */
export const identifyEngine = async (file: string): Promise<{ engine: EngineName; version: string }> => {
  const text = await askEngine(file, ['version'], '').catch((error: unknown) => {
    throw invalid(`${file} does not tell its version: ${errorMessage(error)}`)
  })
  const [, title, version] = /^(Terraform|OpenTofu) v(\S+)$/m.exec(text) ?? []
  if (version === undefined) throw invalid(`${file} is neither terraform nor tofu: its version begins ${JSON.stringify(text.slice(0, 60))}`)
  return { engine: title === 'OpenTofu' ? 'tofu' : 'terraform', version }
}
