import { ErrorCode, type Variable, VariableCategory } from '../../gen/runner/v1/runner.ts'
import type { RunPaths } from '../run-directory.ts'
import { StepError } from '../step-error.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Would move the engine's files, load code into it, or break what we read from it. */
const DENIED = new Set(
  (
    'PATH HOME TMPDIR BASH_ENV ENV NODE_OPTIONS TF_WORKSPACE TF_DATA_DIR TF_INPUT TF_IN_AUTOMATION TF_CLI_CONFIG_FILE TERRAFORM_CONFIG TF_PLUGIN_CACHE_DIR ' +
    'TF_REATTACH_PROVIDERS TF_DISABLE_PLUGIN_TLS TF_SKIP_PROVIDER_VERIFY TF_LOG_PATH TF_FORCE_LOCAL_BACKEND ' +
    // glibc drops these for privileged programs; setpriv is one until it has changed the user.
    'GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LOCALDOMAIN LOCPATH NIS_PATH NLSPATH RESOLV_HOST_CONF RES_OPTIONS TZDIR'
  ).split(' '),
)
const DENIED_PREFIX = /^(LD_|MALLOC_|DYLD_)/
const LOG_LEVELS = new Set(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'OFF', 'JSON', ''])
/** Would send the state past us. */
const STATE_ARGUMENT = /(^|\s)["']?--?state(-out)?(["']?\s|=|["']?$)/

export type BuiltEnvironment = {
  environment: Record<string, string>
  /** What was left out, for the user. */
  notices: string[]
}

/**
 * The environment of the engine, made from nothing: ours, then the user's variables that are allowed, then the platform's.
 * Throws StepError `CONFIG_INVALID` for names and values no environment can hold. Pure.
 */
export const buildEnvironment = (
  paths: RunPaths,
  variables: readonly Variable[],
  platform: Readonly<Record<string, string>>,
): BuiltEnvironment => {
  const environment: Record<string, string> = {
    PATH,
    HOME: paths.home,
    TMPDIR: paths.tmp,
    LANG: 'C.UTF-8',
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    GIT_TERMINAL_PROMPT: '0',
    TF_CLI_CONFIG_FILE: paths.cliConfig,
  }
  const notices: string[] = []
  for (const { key, value, category } of variables) {
    if (category !== VariableCategory.ENV) continue
    checkForm(key, value)
    const refusal = Object.hasOwn(platform, key) ? 'the platform sets it' : refusalOf(key, value)
    if (refusal === undefined) environment[key] = value
    else notices.push(`The environment variable ${key} is not passed on: ${refusal}.`)
  }
  for (const [key, value] of Object.entries(platform)) {
    checkForm(key, value)
    if (refusalOf(key, value) !== undefined)
      throw new StepError(ErrorCode.INTERNAL, `The platform may not set the environment variable ${key}.`)
    environment[key] = value
  }
  return { environment, notices }
}

/** The same for commands whose output we read: without arguments and log levels of the user. */
export const withoutUserArguments = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([key]) => !/^TF_(CLI_ARGS|LOG)/.test(key)))

const checkForm = (key: string, value: string): void => {
  if (key === '' || key.includes('=') || key.includes('\0') || value.includes('\0'))
    throw new StepError(
      ErrorCode.CONFIG_INVALID,
      `The environment variable ${JSON.stringify(key)} has a name or a value that no environment can hold.`,
    )
}

const refusalOf = (key: string, value: string): string | undefined => {
  if (DENIED.has(key) || DENIED_PREFIX.test(key)) return 'it is reserved'
  if (/^TF_LOG(_|$)/.test(key) && !LOG_LEVELS.has(value.toUpperCase())) return 'it must be a log level'
  if (/^TF_CLI_ARGS(_|$)/.test(key) && STATE_ARGUMENT.test(value)) return 'it must not say where the state is'
  return undefined
}
