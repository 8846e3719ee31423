import type { Step } from './wire.ts'

/** What each command that needs the server begins with. */
export const prologue: Step[] = ['GET /.well-known/terraform.json 200', 'GET ping 204', 'GET organizations/:org/entitlement-set 200']

/** The organization and its workspace, which is there. */
export const workspace = 'GET organizations/:org/workspaces/:ws 200'

/** From the configuration to the created run. */
export const created: Step[] = [
  'POST workspaces/:id/configuration-versions 201',
  'PUT configuration 200',
  '+ GET configuration-versions/:id 200',
  'POST runs 201',
  'GET runs/:id/run-events 200',
  'GET runs/:id?include=task_stages 200',
]

/** From the first look at the created run to its last one after the plan. */
export const planned: Step[] = [
  '+ GET runs/:id 200',
  'GET plans/:id 200',
  ['GET log 200', 'GET plans/:id 200'],
  'GET runs/:id?include=workspace,plan 200',
  'GET plans/:id/json-output-redacted 307',
  'GET plan-json-redacted 200',
  'GET runs/:id 200',
  'GET runs/:id 200',
]

/** After the approval, to the end of the apply. */
export const applied: Step[] = [
  'GET runs/:id?include=task_stages 200',
  '+ GET runs/:id 200',
  'GET applies/:id 200',
  ['GET log 200', 'GET applies/:id 200'],
  'GET runs/:id 200',
]

/** What `terraform plan` asks in a workspace that is free. */
export const plan: Step[] = [...prologue, workspace, ...created, ...planned]
