/** Areas of the API by priority, each with the test files of go-tfe (without `_test.go` and `_integration`); `name*` is a beginning. */
const areas: Record<'P0' | 'P1' | 'P2', Record<string, string>> = {
  P0: {
    client: 'tfe request request_hooks validations logreader',
    organizations: 'organization',
    users: 'user',
    tokens: 'user_token organization_token team_token',
    workspaces: 'workspace workspace_resources',
    variables: 'variable',
    'configuration-versions': 'configuration_version',
    runs: 'run',
    plans: 'plan',
    applies: 'apply',
    'state-versions': 'state_version state_version_output',
  },
  P1: {
    projects: 'projects',
    'variable-sets': 'variable_set variable_set_variable',
    teams: 'team team_member',
    'team-access': 'team_access team_project_access',
    memberships: 'organization_membership',
    agents: 'agent agent_pool agent_token',
    notifications: 'notification_configuration',
    oauth: 'oauth_client oauth_token',
    'run-triggers': 'run_trigger',
    'run-tasks': 'run_task run_tasks workspace_run_task task_stages task_stages_integration_beta',
    tags: 'organization_tags',
    comments: 'comment',
    'run-events': 'run_event',
    'ssh-keys': 'ssh_key',
    policies:
      'policy policy_set policy_set_parameter policy_set_version policy_check policy_evaluation policy_evaluation_beta tfpolicy_evaluation',
    'registry-modules': 'registry_module',
    'registry-providers': 'registry_provider registry_provider_version registry_provider_platform gpg_key',
    'no-code': 'registry_no_code_module',
  },
  P2: {
    'plan-exports': 'plan_export',
    'cost-estimates': 'cost_estimate',
    'token-ttl-policies': 'organization_token_ttl_policy',
    audit: 'audit_trail organization_audit_configuration',
    'reserved-tag-keys': 'reserved_tag_key',
    'query-runs': 'query_runs',
    'module-tests': 'test_run test_variables',
    'registry-components': 'registry_component',
    'provider-sets': 'provider_set',
    'github-app': 'github_app_installation',
    meta: 'ip_ranges',
    stacks: 'stack*',
    'hyok-oidc': 'hyok* aws_oidc* azure_oidc* gcp_oidc* vault_oidc*',
    admin: 'admin*',
  },
}

export type Area = { area: string; priority: string }

const known = Object.entries(areas).flatMap(([priority, byName]) =>
  Object.entries(byName).flatMap(([area, files]) => files.split(' ').map((file) => ({ file, area, priority }))),
)

/** Area of a test file of go-tfe, e.g. `run_integration_test.go`. */
export const areaOf = (testFile: string): Area => {
  const base = testFile.replace(/_test\.go$/, '').replace(/_inter?gration$/, '')
  const isMatch = (file: string): boolean => (file.endsWith('*') ? base.startsWith(file.slice(0, -1)) : base === file)
  return known.find(({ file }) => isMatch(file)) ?? { area: 'other', priority: 'P2' }
}
