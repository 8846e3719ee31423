import { makeProject, type Project } from '../harness/project.ts'
import type { TestServer } from '../harness/terrane-server.ts'

/** A project whose workspace is made by the API: no `terraform init` is run. */
export const makeWorkspace = async (server: TestServer, name: string, attributes: Record<string, unknown> = {}): Promise<Project> => {
  const project = await makeProject(server, { name, files: {} })
  await server.api.call('POST', 'organizations/e2e/workspaces', {
    type: 'workspaces',
    attributes: { name, 'terraform-version': '1.11.4', ...attributes },
  })
  return project
}
