/** The programs that can execute a run, by the name of their executable. */
export type EngineName = 'terraform' | 'tofu'

export const engineTitles: Record<EngineName, string> = { terraform: 'Terraform', tofu: 'OpenTofu' }
