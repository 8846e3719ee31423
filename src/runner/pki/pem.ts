import { RunnerError } from '../runner.ts'

const BEGIN = /-----BEGIN CERTIFICATE-----/g
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * One PEM text of `pems`, one certificate each. Joining without a newline between two gives a text in which OpenSSL sees only
 * the first; so the count is checked. Throws RunnerError `INVALID_ARGUMENT`.
 */
export const joinPem = (pems: readonly string[]): string => {
  const joined = pems.map((pem) => `${pem.trim()}\n`).join('')
  const begun = joined.match(BEGIN)?.length ?? 0
  const whole = joined.match(CERTIFICATE)?.length ?? 0
  if (pems.length === 0 || begun !== pems.length || whole !== pems.length) {
    throw new RunnerError('INVALID_ARGUMENT', `expected ${pems.length || 'at least 1'} certificates in PEM form, found ${whole}`)
  }
  return joined
}
