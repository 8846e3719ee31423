import { readdirSync } from 'node:fs'
import { ErrorCode, type PrepareRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { writeJobFile } from '../files/write-job-file.ts'
import { makeMask } from '../mask/make-mask.ts'
import type { StepOutput } from '../operation/make-operation.ts'
import { keepSmallBlob } from '../receive-upload.ts'
import type { Step } from '../session.ts'
import { buildEnvironment } from '../setup/build-environment.ts'
import { collectSecrets } from '../setup/collect-secrets.ts'
import { removeStaleFiles } from '../setup/remove-stale-files.ts'
import { selectWorkspace } from '../setup/select-workspace.ts'
import { SSH_OF_USER } from '../setup/with-ssh-key.ts'
import { resolveWorkingDirectory } from '../setup/resolve-working-directory.ts'
import { writeOverride } from '../setup/write-override.ts'
import { writeTrust } from '../setup/write-trust.ts'
import { writeVariables } from '../setup/write-variables.ts'
import { StepError } from '../step-error.ts'
import { restoreFiles } from './restore-files.ts'
import { unpackConfiguration } from './unpack-configuration.ts'
import { verifyEngine } from './verify-engine.ts'

/** From uploads and request to a directory the engine can run in. Secrets are known to the mask before anything else happens. */
export const prepare: Step<PrepareRequest> = async (session, request, output) => {
  const { paths, isolation } = session
  const { secrets, notices } = collectSecrets(request.variables, [...request.redact, request.sshPrivateKey])
  session.secrets = secrets
  session.mask = makeMask(secrets)
  const { environment: built, notices: refused } = buildEnvironment(paths, request.variables, request.platformEnv)
  for (const notice of [...notices, ...refused]) output.notice(session.mask.text(notice))

  for (const blob of request.blobs) await keepSmallBlob(blob, session)
  await writeJobFile(paths.cliConfig, request.cliConfig, 0o600, isolation)
  if (request.trustPem !== '') await writeTrust(paths.trustFile, request.trustPem, isolation)
  const environment = request.trustPem === '' ? built : { SSL_CERT_FILE: paths.trustFile, ...built }
  // The engine takes a while to tell its version; the archive does not need it.
  const [unpacked, verified] = await Promise.allSettled([unpackConfiguration(session), verifyEngine(session, request, environment)])
  if (verified.status === 'rejected') throw verified.reason
  if (unpacked.status === 'rejected') throw unpacked.reason
  const warnings = unpacked.value
  if (warnings === undefined && !request.allowEmptyConfig)
    throw new StepError(ErrorCode.NO_CONFIG, 'No configuration was uploaded. Upload one, or start a destroy run, which needs none.')
  for (const warning of warnings ?? []) output.notice(session.mask.text(warning))

  const directory = await resolveWorkingDirectory(paths.work, request.workingDirectory, request.allowEmptyConfig, isolation)
  if (!request.allowEmptyConfig && !readdirSync(directory).some((name) => /\.(tf|tofu)(\.json)?$/.test(name)))
    throw new StepError(
      ErrorCode.NO_CONFIG,
      `There are no *.tf files in ${JSON.stringify(request.workingDirectory || '.')}. Check the working directory of the workspace and .terraformignore.`,
    )
  removeStaleFiles(directory)
  const baseline = await restoreFiles(session, directory)
  await selectWorkspace(paths, directory, request.workspaceName, isolation)
  const ownFiles = [await writeVariables(directory, request.variables, isolation), await writeOverride(directory, paths, isolation)]
  const { enginePath, engineVersion } = request
  const sshPrivateKey = usedKey(request.sshPrivateKey, environment, output)
  session.prepared = { enginePath, engineVersion, directory, environment, ownFiles, baseline, sshPrivateKey }
  return { outcome: StepOutcome.SUCCEEDED }
}

/** The key of the workspace, unless its variables arrange ssh in another way. */
const usedKey = (sshPrivateKey: string, environment: Readonly<Record<string, string>>, output: StepOutput): string => {
  const own = SSH_OF_USER.find((name) => environment[name] !== undefined)
  if (sshPrivateKey === '' || own === undefined) return sshPrivateKey
  output.notice(`The SSH key of the workspace is not used: the environment variable ${own} of the workspace takes its place.`)
  return ''
}
