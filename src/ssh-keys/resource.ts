import { z } from 'zod'
import { type Resource, resourceType } from '../api/index.ts'
import type { SshKey } from './ssh-key.ts'

export const sshKeyType = resourceType('ssh-keys', { attributes: z.object({ name: z.string() }) })

export const sshKeyResource = ({ id, name }: SshKey): Resource =>
  sshKeyType.of({ id, attributes: { name }, links: { self: `/api/v2/ssh-keys/${id}` } })
