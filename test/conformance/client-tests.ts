import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Area, areaOf } from './areas.ts'

/** A top-level test of go-tfe. `needs`: what it cannot do without, beyond a server; what only some of its subtests need is left out. */
export type ClientTest = Area & { name: string; needs: string[] }

/** What a test's source says of its needs. */
const signs: Record<string, RegExp> = {
  'ENABLE_TFE=1': /skipUnlessEnterprise\(/,
  'ENABLE_TFE=0': /skipIfEnterprise\(|newSubscriptionUpdater\(|upgradeOrganizationSubscription\(/,
  ENABLE_BETA: /skipUnlessBeta\(/,
  ENABLE_HYOK: /skipHYOKIntegrationTests\(/,
  SAML: /enableSAML\(|setSAMLProviderType\(/,
  SCIM: /enableSCIM\(|createSCIMGroup\(/,
  'the agent of the vendor': /downloadTFCAgent\(|createAgent\(/,
  'a GitHub account': /OAUTH_CLIENT_GITHUB_TOKEN|createOAuthClient\(|createOAuthToken\(|GITHUB_\w*IDENTIFIER|GITHUB_APP_INSTALLATION_ID/,
  'a URL for run tasks': /TFC_RUN_TASK_URL/,
  'the internet': /Address:\s+"https:\/\/example\.com"|Namespace:\s+"terraform-aws-modules"/,
}
const skipsItself = /^\t(t\.Skip\(|skipUnlessAfterDate\()/m

type GoFunction = { file: string; body: string; withoutSubtests: string }

/** Reads the tests from the source of the client in `directory`. */
export const readClientTests = async (directory: string): Promise<ClientTest[]> => {
  const functions = await readFunctions(directory)
  const helpersIn = (text: string): string[] =>
    [...text.matchAll(/\b([A-Za-z]\w*)(?:\[\w+\])?\(/g)]
      .map(([, name = '']) => name)
      .filter((name) => functions.has(name) && !name.startsWith('Test'))

  /** The text with that of every helper it calls, directly or not. */
  const withHelpers = (text: string): string => {
    const seen = new Set<string>()
    const parts = [text]
    const waiting = helpersIn(text)
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name)) continue
      seen.add(name)
      const { body = '' } = functions.get(name) ?? {}
      parts.push(body)
      waiting.push(...helpersIn(body))
    }
    return parts.join('\n')
  }

  return [...functions].flatMap(([name, { file, body, withoutSubtests }]): ClientTest[] => {
    if (!/^func Test\w*\(t \*testing\.T\)/.test(body)) return []
    const text = withHelpers(withoutSubtests)
    const needs = Object.entries(signs).flatMap(([need, sign]) => (sign.test(text) ? need : []))
    return [{ name, ...areaOf(file), needs: skipsItself.test(body) ? ['nothing: it skips itself', ...needs] : needs }]
  })
}

const readFunctions = async (directory: string): Promise<Map<string, GoFunction>> => {
  const functions = new Map<string, GoFunction>()
  const files = (await readdir(directory)).filter((name) => name.endsWith('_test.go')).sort()
  for (const file of files) {
    const source = await readFile(join(directory, file), 'utf8')
    for (const [text, name = ''] of source.matchAll(/^func (\w+)(?:\[[^\]]*\])?\([\s\S]*?^\}/gm)) {
      const body = text.replaceAll(/^\s*\/\/.*\n/gm, '')
      const withoutSubtests = body
        .replaceAll(/^\tt\.Run\([\s\S]*?^\t\}\)$/gm, '')
        .replaceAll(/^\tfor [\s\S]*?^\t\}$/gm, (loop) => (loop.includes('t.Run(') ? '' : loop))
      if (!functions.has(name)) functions.set(name, { file, body, withoutSubtests })
    }
  }
  return functions
}
