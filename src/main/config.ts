import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { text } from '../cli/command.ts'
import { dataDirectory } from '../cli/data-directory.ts'
import { kebabCase } from '../cli/kebab-case.ts'
import { AppError } from '../platform/errors.ts'
import { parseDurationMs } from '../platform/parse-duration.ts'
import { isLoopback, listenAddress, type ListenAddress } from './listen-address.ts'
import { publicBase } from './public-base.ts'
import { serverSettings, type ServerSetting } from './server-settings.ts'

export type TlsConfig = { mode: 'none' } | { mode: 'self' } | { mode: 'files'; certFile: string; keyFile: string }

export type ServerConfig = {
  /** Absolute, as all paths here. */
  dataDir: string
  listen: ListenAddress
  /** PostgreSQL; undefined: the SQLite file in `dataDir`. May hold a password. */
  databaseUrl: string | undefined
  /** Scheme, host and port of every link, without a slash at the end. */
  publicUrl: string
  tls: TlsConfig
  runner: 'process' | 'in-process'
  runnerCapacity: number
  planTimeoutMs: number
  applyTimeoutMs: number
  /** Parent of the run directories. For root outside of the data, where an engine's user can pass. */
  workDir: string
  /** The engine store's directory, for root where an engine's user can pass. */
  engineDir: string
  engineCliConfigFile: string | undefined
  releaseMirrorUrl: string | undefined
  forceCancelCoolOffMs: number
  /** How long a job stays with a server that has stopped renewing it. */
  leaseMs: number
  appName: 'HCP Terraform' | 'Terraform Enterprise'
  logLevel: 'error' | 'warn' | 'info' | 'debug' | 'trace'
  /** Base64 of the installation key, from the environment only; undefined: the file in `dataDir`. */
  installationKey: string | undefined
}

export type Flags = Partial<Record<ServerSetting, string | true>>
type Env = Record<string, string | undefined>
type Machine = { isRoot: boolean }

const isTrue = (value: unknown): boolean => value === true || value === '1' || value === 'true'
const oneOf = <const T extends string>(...values: [T, ...T[]]) => z.enum(values, { error: `is one of: ${values.join(', ')}` })
const file = z.string().transform((path) => resolve(path))
const duration = z.string().transform((text, ctx) => {
  const ms = parseDurationMs(text)
  if (ms !== undefined) return ms
  ctx.addIssue({ code: 'custom', message: 'is a duration like 2h or 90m' })
  return z.NEVER
})
/** An authority outlives what it has signed; see controller/authorities.ts. */
const MAX_PHASE_MS = 7 * 86_400_000
const phaseLimit = duration.refine((ms) => ms <= MAX_PHASE_MS, 'is at most 7d')
const webUrl = z.url({ protocol: /^https?$/, error: 'is an http or https URL' })

const settingsSchema = z.object({
  listen: listenAddress.prefault('127.0.0.1:8080'),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'begins with postgres://')
    .optional(),
  publicUrl: publicBase.optional(),
  tls: oneOf('self').optional(),
  tlsCert: file.optional(),
  tlsKey: file.optional(),
  insecureBehindProxy: z
    .union([z.literal(true), z.enum(['1', 'true', '0', 'false'])], { error: 'is true or false' })
    .transform(isTrue)
    .default(false),
  runner: oneOf('process', 'in-process').default('process'),
  runnerCapacity: z.coerce.number('is a number').int('is a whole number').min(1, 'is at least 1').max(1000, 'is at most 1000').default(4),
  planTimeout: phaseLimit.prefault('2h'),
  applyTimeout: phaseLimit.prefault('24h'),
  workDir: file.optional(),
  engineCliConfig: file.optional(),
  releaseMirror: webUrl.optional(),
  forceCancelCoolOff: z.coerce.number('is a number of seconds').min(0, 'is not negative').default(60),
  leaseSeconds: z.coerce.number('is a number of seconds').min(2, 'is at least 2').max(3600, 'is at most 3600').default(45),
  appName: oneOf('HCP Terraform', 'Terraform Enterprise').default('HCP Terraform'),
  logLevel: oneOf('error', 'warn', 'info', 'debug', 'trace').default('info'),
})

type Settings = z.output<typeof settingsSchema>

/**
 * What `terrane server` was told: flags, else the environment, else defaults; an empty value counts as none. Reads no file. Throws
 * AppError INVALID that names every setting that is wrong, without values that could be secret.
 */
export const parseConfig = (flags: Flags, env: Env, { isRoot }: Machine = { isRoot: process.getuid?.() === 0 }): ServerConfig => {
  const given = Object.fromEntries(Object.entries(serverSettings).map(([key, { env: name }]) => [key, valueOf(key, flags, env[name])]))
  const { data: settings, error } = settingsSchema.safeParse(given)
  if (error) throw refuse(error.issues.map(({ path, message }) => `${settingName(path[0])} ${message}`))
  const dataDir = dataDirectory(text(flags.data), env)
  const tls = tlsOf(settings)
  return {
    dataDir,
    listen: settings.listen,
    databaseUrl: settings.databaseUrl,
    publicUrl: publicUrlOf(settings, tls),
    tls,
    runner: settings.runner,
    runnerCapacity: settings.runnerCapacity,
    planTimeoutMs: settings.planTimeout,
    applyTimeoutMs: settings.applyTimeout,
    workDir: settings.workDir ?? (isRoot ? `/var/lib/terrane/work-${shortHash(dataDir)}` : join(dataDir, 'work')),
    engineDir: isRoot ? '/var/lib/terrane/engines' : join(dataDir, 'engines'),
    engineCliConfigFile: settings.engineCliConfig,
    releaseMirrorUrl: settings.releaseMirror,
    forceCancelCoolOffMs: settings.forceCancelCoolOff * 1000,
    leaseMs: settings.leaseSeconds * 1000,
    appName: settings.appName,
    logLevel: settings.logLevel,
    installationKey: env['TERRANE_INSTALLATION_KEY'] || undefined,
  }
}

/** Two servers of one machine must not share run directories. */
const shortHash = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 8)

const valueOf = (key: string, flags: Flags, variable: string | undefined): string | true | undefined => {
  // safe because `key` comes from serverSettings
  const flag = flags[key as ServerSetting]
  return flag || variable || undefined
}

const settingName = (key: PropertyKey | undefined): string => {
  // safe because every path of the schema begins with a setting
  const setting = key as ServerSetting
  return `--${kebabCase(setting)} (or ${serverSettings[setting].env})`
}

const refuse = (problems: string[]): AppError => new AppError('INVALID', problems.join('\n'))

const tlsOf = ({ tls, tlsCert, tlsKey, listen, insecureBehindProxy }: Settings): TlsConfig => {
  if (tls !== undefined && (tlsCert !== undefined || tlsKey !== undefined))
    throw refuse(['Give either --tls self, or --tls-cert and --tls-key.'])
  if (tls !== undefined) return { mode: 'self' }
  if (tlsCert !== undefined && tlsKey !== undefined) return { mode: 'files', certFile: tlsCert, keyFile: tlsKey }
  if (tlsCert !== undefined || tlsKey !== undefined) throw refuse(['--tls-cert and --tls-key need each other.'])
  if (isLoopback(listen.host) || insecureBehindProxy) return { mode: 'none' }
  throw refuse([
    `Listening on ${listen.host} without TLS would send tokens and state readable through the network. Give --tls-cert and --tls-key, ` +
      'or --tls self, or --insecure-behind-proxy when a proxy in front of this server ends TLS.',
  ])
}

const publicUrlOf = ({ publicUrl, listen, insecureBehindProxy }: Settings, tls: TlsConfig): string => {
  if (publicUrl === undefined) {
    if (!isLoopback(listen.host))
      throw refuse(['--public-url is needed off loopback: it is the base of every link, e.g. https://terrane.example.com'])
    if (tls.mode !== 'none') return `https://localhost:${listen.port}`
    return `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`
  }
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:' || insecureBehindProxy || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return publicUrl
  throw refuse(['--public-url must begin with https://, as terraform talks to nothing else off loopback.'])
}
