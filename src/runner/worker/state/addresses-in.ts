import * as z from 'zod'

const stateSchema = z.object({
  resources: z.array(
    z.object({
      module: z.string().optional(),
      mode: z.string(),
      type: z.string(),
      name: z.string(),
      instances: z.array(z.object({ index_key: z.union([z.string(), z.number()]).optional(), deposed: z.string().optional() })),
    }),
  ),
})

/** Addresses of the instances in a state file (format 4), as the engine writes them in its log. Undefined for anything else. Pure. */
export const addressesIn = (text: string): ReadonlySet<string> | undefined => {
  const { data } = stateSchema.safeParse(parse(text))
  if (data === undefined) return undefined
  const addresses = new Set<string>()
  for (const { module, mode, type, name, instances } of data.resources) {
    const resource = [...(module === undefined ? [] : [module]), ...(mode === 'data' ? ['data'] : []), type, name].join('.')
    for (const { index_key: key, deposed } of instances) {
      if (deposed === undefined) addresses.add(key === undefined ? resource : `${resource}[${JSON.stringify(key)}]`)
    }
  }
  return addresses
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
