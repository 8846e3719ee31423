import type { Ctx } from '../platform/context.ts'
import { eventScope } from './create-token.ts'
import type { AccountDeps } from './deps.ts'
import { getToken } from './get-token.ts'
import { deleteTokenById } from './queries.ts'

/** Revokes at once what `getToken` would show. */
export const deleteToken = (d: AccountDeps) => {
  const get = getToken(d)
  return async (ctx: Ctx, id: string): Promise<void> => {
    const token = await get(ctx, id)
    await d.db.transaction(async (tx) => {
      await deleteTokenById(tx, id)
      await d.outbox.emit(tx, { type: 'token.deleted', subject: id, ...eventScope(token) })
    })
  }
}
