import type { Ctx } from '../platform/context.ts'

/** Who started a run, and which kind of log that one reads. */
export type Origin = {
  source: string
  triggerReason: string
  message: string
  readsJsonLogs: boolean
  /** Missing resource blocks of imports are written; people at a page cannot ask for it. */
  allowsConfigGeneration?: boolean
}

/** The origin of a run that somebody asks for, from what the client says about itself. */
export const originOf = ({ actor, client }: Pick<Ctx, 'actor' | 'client'>): Origin => {
  const triggerReason = 'manual'
  // A session of the web pages: every other user comes with a token.
  if (actor.kind === 'user' && actor.tokenId === undefined)
    return { source: 'tfe-ui', triggerReason, message: 'Triggered via UI', readsJsonLogs: true, allowsConfigGeneration: true }
  const byCli = 'Queued manually using Terraform'
  if (client.integration === 'cloud') return { source: 'terraform+cloud', triggerReason, message: byCli, readsJsonLogs: true }
  if (client.terraformVersion !== undefined) return { source: 'terraform', triggerReason, message: byCli, readsJsonLogs: false }
  return { source: 'tfe-api', triggerReason, message: 'Queued manually via the Terraform Enterprise API', readsJsonLogs: true }
}

/** Of the run that the upload of a configuration starts by itself. */
export const uploadOrigin: Origin = {
  source: 'tfe-configuration-version',
  triggerReason: 'manual',
  message: 'Configuration uploaded directly from the API',
  readsJsonLogs: true,
}
