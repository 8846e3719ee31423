import type { UiDeps } from '../deps.ts'

/** Names of the users with these ids; null stands for nobody. */
export const usernamesOf = async (
  { accounts }: Pick<UiDeps, 'accounts'>,
  ids: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, string>> => {
  const known = [...new Set(ids.filter((id) => typeof id === 'string'))]
  return new Map(known.length === 0 ? [] : (await accounts.listUsers(known)).map(({ id, username }) => [id, username]))
}
