import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where terraform looks for a mirror by itself (provider installation, implied local mirror directories). */
const USUAL_PLACES = ['/usr/local/share/terraform/plugins', '/usr/share/terraform/plugins']

/**
 * Directory of a filesystem mirror that has version 5.100.0 of the AWS provider: TERRANE_TEST_PROVIDER_MIRROR, or a usual place. Undefined
 * when there is none, which with TERRANE_TEST_REQUIRE=all is an error.
 */
export const findAwsMirror = (): string | undefined => {
  const candidates = [process.env['TERRANE_TEST_PROVIDER_MIRROR'], ...USUAL_PLACES].filter((path) => path !== undefined)
  const mirror = candidates.find((path) => existsSync(join(path, 'registry.terraform.io/hashicorp/aws/5.100.0')))
  if (mirror === undefined && process.env['TERRANE_TEST_REQUIRE'] === 'all') {
    throw new Error('No provider mirror with hashicorp/aws 5.100.0 was found: set TERRANE_TEST_PROVIDER_MIRROR to its directory.')
  }
  return mirror
}

/** Lines of a CLI configuration that take every provider from there. */
export const mirrorConfig = (mirror: string): string => `provider_installation {
  filesystem_mirror {
    path = ${JSON.stringify(mirror)}
  }
}
`
