import { z } from 'zod'

/** An http or https URL of a host and nothing more; the output has no slash at the end. */
export const publicBase = z.string().transform((text, ctx): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    ctx.issues.push({ code: 'custom', message: 'is scheme, host and port, without a path: https://terrane.example.com', input: text })
    return z.NEVER
  }
  return url.origin
})
