const part = encodeURIComponent

/** Addresses of the pages. */
export const paths = {
  organizations: '/app',
  workspaces: (organization: string): string => `/app/${part(organization)}/workspaces`,
  workspace: (organization: string, workspace: string): string => `${paths.workspaces(organization)}/${part(workspace)}`,
  run: (organization: string, workspace: string, runId: string): string =>
    `${paths.workspace(organization, workspace)}/runs/${part(runId)}`,
  states: (organization: string, workspace: string): string => `${paths.workspace(organization, workspace)}/states`,
  variables: (organization: string, workspace: string): string => `${paths.workspace(organization, workspace)}/variables`,
  runEvents: (runId: string): string => `/app/_events/runs/${part(runId)}`,
  tokens: '/app/settings/tokens',
  signIn: (returnTo: string): string => `/session?return=${part(returnTo)}`,
} as const
