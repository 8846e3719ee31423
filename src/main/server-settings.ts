import type { CommandOption } from '../cli/command.ts'

type Setting = CommandOption & { env: string }

/** Every setting of `terrane server`: its flag is the key in kebab case, `env` the variable that says the same. */
export const serverSettings = {
  data: { value: 'dir', env: 'TERRANE_DATA', help: 'database, blobs and keys (default: ~/.local/share/terrane)' },
  listen: { value: 'host:port', env: 'TERRANE_LISTEN', help: 'address to listen on (default: 127.0.0.1:8080)' },
  databaseUrl: {
    value: 'url',
    env: 'DATABASE_URL',
    help: 'PostgreSQL in the place of the SQLite file; prefer the variable, which no process list shows',
  },
  publicUrl: { value: 'url', env: 'TERRANE_PUBLIC_URL', help: 'base of every link (default: from --listen on loopback)' },
  tls: { value: 'self', env: 'TERRANE_TLS', help: '"self": serve HTTPS with a certificate of an own authority' },
  tlsCert: { value: 'file', env: 'TERRANE_TLS_CERT', help: 'serve HTTPS with this certificate chain (PEM)' },
  tlsKey: { value: 'file', env: 'TERRANE_TLS_KEY', help: 'private key of --tls-cert (PEM)' },
  insecureBehindProxy: { env: 'TERRANE_INSECURE_BEHIND_PROXY', help: 'allow plain HTTP off loopback, since a proxy in front ends TLS' },
  runner: { value: 'kind', env: 'TERRANE_RUNNER', help: '"process" (default) or "in-process"' },
  runnerCapacity: { value: 'count', env: 'TERRANE_RUNNER_CAPACITY', help: 'plans and applies at the same time (default: 4)' },
  planTimeout: { value: 'duration', env: 'TERRANE_PLAN_TIMEOUT', help: 'a plan that takes longer is interrupted, e.g. 90m (default: 2h)' },
  applyTimeout: { value: 'duration', env: 'TERRANE_APPLY_TIMEOUT', help: 'an apply that takes longer is interrupted (default: 24h)' },
  workDir: { value: 'dir', env: 'TERRANE_WORK_DIR', help: 'directories of running plans and applies (default: see the manual)' },
  engineCliConfig: { value: 'file', env: 'TERRANE_ENGINE_CLI_CONFIG', help: 'terraform CLI configuration merged into that of each run' },
  releaseMirror: { value: 'url', env: 'TERRANE_RELEASE_MIRROR', help: 'where terraform releases are downloaded from' },
  forceCancelCoolOff: {
    value: 'seconds',
    env: 'TERRANE_FORCE_CANCEL_COOL_OFF',
    help: 'wait between cancel and force-cancel (default: 60)',
  },
  leaseSeconds: {
    value: 'seconds',
    env: 'TERRANE_LEASE_SECONDS',
    help: 'a server that is silent for so long loses its runs to another one on the same PostgreSQL (default: 45)',
  },
  appName: { value: 'name', env: 'TERRANE_APP_NAME', help: '"HCP Terraform" (default) or "Terraform Enterprise", as clients see it' },
  logLevel: { value: 'level', env: 'TERRANE_LOG_LEVEL', help: 'error, warn, info (default), debug or trace' },
} as const satisfies Record<string, Setting>

export type ServerSetting = keyof typeof serverSettings
