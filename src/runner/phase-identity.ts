/** Names one phase of one run; the certificate of its runner carries exactly this. */
export type PhaseIdentity = {
  organizationId: string
  workspaceId: string
  runId: string
  phase: 'plan' | 'apply'
}
