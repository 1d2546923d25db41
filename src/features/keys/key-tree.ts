import { PlatformError, badRequest, unauthorized } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { OPERATOR, SCOPES, grants } from '../../kernel/scope.ts'
import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import type { ApiKeyRecord } from './records.ts'
import { earlier, endOfKey } from '../common/key-end.ts'
import { isoTime } from '../common/time.ts'

/**
 * Derives a new key's position in the tree, and its expiry, from the key that makes it. A caller
 * without a key, such as a session, makes root keys. The commit depends on the maker, so that a key
 * that is revoked at the same moment makes no key.
 *
 * @throws {PlatformError} 400 at `expiresAt` for an expiry after the maker's, 401 if the maker has
 *   expired
 */
export async function bindToMaker(
  records: Records,
  change: Change,
  { account, key: id }: Principal,
  expiresAt: number | null,
  now: number,
): Promise<Pick<ApiKeyRecord, 'maker' | 'bound' | 'expiresAt'>> {
  if (id === undefined) return { expiresAt }
  const maker = await records.apiKeys.get(account, id)
  // An application's own authenticator may name keys of another store. These have no expiry here.
  if (!maker) return { maker: id, expiresAt }
  records.apiKeys.require(change, account, maker)
  const end = await endOfKey(records, maker.value)
  if (maker.value.revokedAt !== null || (end !== null && end <= now)) throw unauthorized()
  if (expiresAt !== null && end !== null && expiresAt > end) {
    const message =
      `must not be later than ${isoTime(end)}, when the key that creates this one expires; ` +
      'leave it out to get that time'
    throw badRequest([{ path: 'expiresAt', message }])
  }
  return { maker: id, bound: true, expiresAt: earlier(expiresAt, end) }
}

/**
 * Checks that a key may revoke another: itself, or one that it could have made.
 *
 * @throws {PlatformError} 403 for a key with more scopes, and for one that it descends from
 */
export async function demandMayRevoke(
  records: Records,
  { account, key, scopes }: Principal,
  target: ApiKeyRecord,
): Promise<void> {
  if (key === undefined || key === target.id) return
  const makerOf = async (id: string): Promise<string | undefined> =>
    (await records.apiKeys.get(account, id))?.value.maker
  const isWider = target.scopes.some((scope) => !covers(scopes, scope))
  let ancestor = isWider ? undefined : await makerOf(key)
  while (ancestor !== undefined && ancestor !== target.id) ancestor = await makerOf(ancestor)
  if (isWider || ancestor !== undefined)
    throw new PlatformError(
      'FORBIDDEN',
      'A key cannot revoke a key with more scopes, nor one that created it',
    )
}

/** The descendants of a key that are not revoked. Descendants of revoked keys are included. */
export async function usableDescendants(
  records: Records,
  account: string,
  root: string,
): Promise<Stored<ApiKeyRecord>[]> {
  const madeBy = new Map<string, Stored<ApiKeyRecord>[]>()
  for await (const page of eachPage(records.apiKeys, account)) {
    for (const key of page) {
      const { maker } = key.value
      if (maker === undefined) continue
      const siblings = madeBy.get(maker)
      if (siblings) siblings.push(key)
      else madeBy.set(maker, [key])
    }
  }
  const below = [...(madeBy.get(root) ?? [])]
  for (const { value } of below) below.push(...(madeBy.get(value.id) ?? []))
  return below.filter(({ value }) => value.revokedAt === null)
}

/**
 * True if a grantable scope is granted: by the scope itself, its family or all scopes. All present
 * members of a family together do not grant the family, because it may get more members.
 */
export function covers(granted: readonly string[], scope: string): boolean {
  return (
    granted.includes(scope) ||
    (granted.includes('*') && scope !== OPERATOR) ||
    SCOPES.some((single) => single === scope && grants(granted, single))
  )
}
