import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { waitFor } from './wait-for.ts'

const REQUIREMENTS = ['moto[ec2,s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5']

/** A stand-in for AWS on loopback: EC2, S3 and STS of moto, which pip installs below .cache/ at the first use. */
export const startMoto = async (): Promise<{ url: string; log(): string; stop(): Promise<void> }> => {
  const python = await installMoto()
  const port = await freePort()
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => (await fetch(`${url}/moto-api/`)).ok, { timeoutMs: 60_000, everyMs: 100, what: 'moto' }).catch(
    (error: unknown) => {
      child.kill()
      throw new Error(`moto did not start:\n${log}`, { cause: error })
    },
  )
  return {
    url,
    log: () => log,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}

/** Path of a python that has moto. */
const installMoto = async (): Promise<string> => {
  const directory = fileURLToPath(new URL('../../.cache/moto-5.2.5', import.meta.url))
  const python = join(directory, 'bin', 'python3')
  const isThere = await access(join(directory, 'complete')).then(
    () => true,
    () => false,
  )
  if (isThere) return python
  await rm(directory, { recursive: true, force: true })
  await mkdir(join(directory, '..'), { recursive: true })
  const run = promisify(execFile)
  await run('python3', ['-m', 'venv', directory])
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...REQUIREMENTS])
  await writeFile(join(directory, 'complete'), '')
  return python
}
