import { z } from 'zod'
import { errorMessage } from '../../platform/errors.ts'
import { get } from '../http.ts'
import type { ServerFiles } from '../server-files.ts'

const answerSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

/** The first organization that the administrator sees, or why there is none. */
export const defaultOrganization = async ({ url, token, caPem }: ServerFiles): Promise<{ name: string } | { problem: string }> => {
  try {
    const { status, body } = await get({ url: `${url}/api/v2/organizations`, token, caPem })
    if (status !== 200) return { problem: `${url} answered ${status} to the question for organizations` }
    const first = answerSchema.parse(JSON.parse(body)).data[0]
    return first ? { name: first.id } : { problem: `${url} has no organization yet` }
  } catch (error) {
    return {
      problem:
        error instanceof z.ZodError || error instanceof SyntaxError
          ? `${url} is no terrane server`
          : `${url} does not answer (${errorMessage(error)})`,
    }
  }
}
