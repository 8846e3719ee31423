import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { startMoto } from '../harness/moto.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { findAwsMirror, mirrorConfig } from '../harness/provider-mirror.ts'
import { storedBytes } from '../harness/stored-bytes.ts'
import { serverOfTest } from '../harness/terrane-server.ts'

const mirror = findAwsMirror()

const configuration = (endpoint: string): string => `
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "5.100.0"
    }
  }
}
provider "aws" {
  region                      = "eu-central-1"
  s3_use_path_style           = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  endpoints {
    ec2 = "${endpoint}"
    s3  = "${endpoint}"
    sts = "${endpoint}"
  }
}
resource "aws_s3_bucket" "logs" {
  bucket = "terrane-e2e-logs"
}
resource "aws_vpc" "main" {
  cidr_block = "10.1.0.0/16"
  tags       = { Name = "größe" }
}
resource "aws_subnet" "a" {
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(aws_vpc.main.cidr_block, 8, 1)
}
data "aws_vpc" "seen" {
  id         = aws_vpc.main.id
  depends_on = [aws_subnet.a]
}
# Whoever writes the configuration tries to get at the credentials.
resource "terraform_data" "thief" {
  provisioner "local-exec" {
    command = "env | grep AWS_; printf '%s' $AWS_SECRET_ACCESS_KEY | base64 -w0"
  }
}
output "cidr" { value = data.aws_vpc.seen.cidr_block }
`

describe.skipIf(mirror === undefined)('AWS provider 5.100', () => {
  let moto: Awaited<ReturnType<typeof startMoto>>
  beforeAll(async () => {
    moto = await startMoto()
  })
  afterAll(() => moto?.stop())

  it('makes and destroys a bucket, a VPC and a subnet with credentials that are nowhere to be read', async () => {
    const operator = await makeDirectory({ 'engine.rc': mirrorConfig(mirror ?? '') })
    const server = await serverOfTest({ args: ['--engine-cli-config', join(operator, 'engine.rc'), '--log-level', 'debug'] })
    const project = await makeProject(server, { name: 'aws', files: { 'main.tf': configuration(moto.url) } })
    await project.write({
      'cli.rc': `${await readFile(server.cliConfigFile, 'utf8')}\n${mirrorConfig(mirror ?? '')}`,
      '.terraformignore': 'cli.rc\n',
    })
    const env = { TF_CLI_CONFIG_FILE: join(project.directory, 'cli.rc') }
    const init = await project.terraform(['init'], { env })
    expect(init.code, init.stderr).toBe(0)

    const secrets = {
      AWS_ACCESS_KEY_ID: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
      AWS_SECRET_ACCESS_KEY: randomBytes(30).toString('base64'),
    }
    const { id } = await project.workspace()
    const answers: string[] = []
    const get = async (path: string): Promise<void> => void answers.push((await server.api.raw('GET', path)).text)
    for (const [key, value] of Object.entries(secrets)) {
      const attributes = { key, value, category: 'env', sensitive: true }
      answers.push((await server.api.raw('POST', `workspaces/${id}/vars`, { type: 'vars', attributes })).text)
    }
    const apply = await project.terraform(['apply', '-auto-approve', '-no-color'], { env })
    expect(apply.code, apply.stdout + apply.stderr).toBe(0)
    expect(apply.stdout).toContain('Apply complete! Resources: 4 added')
    expect(apply.stdout).toContain('cidr = "10.1.0.0/16"')
    expect((await project.resources()).map(({ address }) => address).toSorted()).toEqual([
      'aws_s3_bucket.logs',
      'aws_subnet.a',
      'aws_vpc.main',
      'terraform_data.thief',
    ])
    expect(moto.log()).toContain('PUT /terrane-e2e-logs')

    const [run] = await project.runs()
    const plan = run?.relationships?.['plan']?.data
    const planId = plan === undefined || plan === null || Array.isArray(plan) ? '' : plan.id
    for (const path of [
      `workspaces/${id}`,
      `workspaces/${id}/vars`,
      `runs/${run?.id}?include=workspace,plan,apply,configuration_version`,
      `runs/${run?.id}/run-events`,
      `plans/${planId}`,
      `workspaces/${id}/current-state-version?include=outputs`,
      `workspaces/${id}/resources`,
    ]) {
      await get(path)
    }
    for (const path of ['json-output', 'json-output-redacted']) {
      const show = await server.api.follow(`plans/${planId}/${path}`)
      expect(show).toContain('aws_s3_bucket')
      answers.push(show)
    }
    const logs = run === undefined ? [] : [await project.log(run, 'plan'), await project.log(run, 'apply')]
    expect(logText(logs[1] ?? '')).toContain('AWS_SECRET_ACCESS_KEY=')

    const destroy = await project.terraform(['destroy', '-auto-approve', '-no-color'], { env })
    expect(destroy.code, destroy.stdout + destroy.stderr).toBe(0)
    expect(await project.resources()).toEqual([])

    const places = [
      ...(await storedBytes(server, [])),
      { where: 'log of the server', bytes: Buffer.from(server.stderr() + server.stdout()) },
      ...logs.map((log) => ({ where: 'log of the run', bytes: Buffer.from(log) })),
      ...answers.map((answer) => ({ where: 'answer of the API', bytes: Buffer.from(answer) })),
      { where: 'output of the CLI', bytes: Buffer.from(apply.stdout + apply.stderr + destroy.stdout) },
    ]
    // What is no secret is found in these places.
    for (const known of ['AWS_SECRET_ACCESS_KEY', 'terrane-e2e-logs']) expect(places.some(({ bytes }) => bytes.includes(known))).toBe(true)
    for (const secret of Object.values(secrets)) {
      const forms = [
        secret,
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        Buffer.from(secret).toString('hex'),
        JSON.stringify(secret).slice(1, -1),
      ]
      expect(places.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ where }) => where)).toEqual([])
    }
    expect((await readdir(server.workDir)).filter((name) => name.startsWith('run-'))).toEqual([])
  }, 300_000)
})
