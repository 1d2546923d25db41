import type { Cursors } from '../../kernel/cursor.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { PlatformError, badRequest, busy, conflict, notFound } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/id.ts'
import type { Principal } from '../../kernel/route.ts'
import type { Terms } from '../../kernel/terms.ts'
import { SCOPES, grants, isGrantable } from '../../kernel/scope.ts'
import type { Clock, RandomBytes } from '../../ports/clock.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { paginate } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'
import type { ApiKeyRecord } from '../../records/types.ts'
import { commitOnTerms } from '../commit-on-terms.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { readPage } from '../page.ts'
import type { Page, PageQuery } from '../page.ts'
import { DEFAULT_PREFIX, checkSecret, hintOf, makeSecret } from './secret.ts'

/** An API key on the wire; the secret is never part of it. */
export interface ApiKey extends Omit<ApiKeyRecord, 'account' | 'maker' | 'digest' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'> {
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

/** A new key with its secret, which is shown this once. */
export interface CreatedKey extends ApiKey {
  readonly secret: string
}

/** A key to make. */
export interface KeyInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** ISO 8601; absent: never. */
  readonly expiresAt?: string
}

/** API keys of an account. */
export interface Keys {
  /** @throws {PlatformError} 403 for a scope that the maker does not have, 400 for an unknown one or a time that has passed */
  create(principal: Principal, input: KeyInput, terms?: Terms): Promise<CreatedKey>
  /** Admits a secret that was made elsewhere, such as one from the command line. Doing it again changes nothing. @throws {PlatformError} 409 if it is another account's */
  adopt(principal: Principal, secret: string, input: KeyInput): Promise<ApiKey>
  /** Newest first, revoked ones included. */
  list(principal: Principal, query?: PageQuery): Promise<Page<ApiKey>>
  /**
   * Holds from the next request on; revoking again changes nothing. A key may end itself and what it could have made, so
   * that one that leaked cannot lock its owner out.
   *
   * @throws {PlatformError} 403 where a key would revoke one that it descends from, or one with more scopes
   */
  revoke(principal: Principal, id: string, terms?: Terms): Promise<ApiKey>
}

/** What {@link createKeys} works with. */
export interface KeysOptions {
  readonly records: Records
  readonly cursors: Cursors
  readonly ids: Ids
  readonly clock: Clock
  readonly random: RandomBytes
  /** Default `svc_sk_`. */
  readonly prefix?: string
}

const TRIES = 5

/** The service of API keys. */
export function createKeys({ records, cursors, ids, clock, random, prefix = DEFAULT_PREFIX }: KeysOptions): Keys {
  const insert = async (
    principal: Principal, secret: string, input: KeyInput, commit: (change: Change, key: ApiKeyRecord) => Promise<boolean> = (change) => records.commit(change),
  ): Promise<ApiKeyRecord | null> => {
    const key: ApiKeyRecord = {
      id: ids('key'),
      account: principal.account,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      ...(principal.key !== undefined && { maker: principal.key }),
      digest: await sha256Hex(secret),
      hint: hintOf(secret, prefix),
      createdAt: clock.now(),
      expiresAt: expiryOf(input, clock.now()),
      revokedAt: null,
      lastUsedAt: null,
    }
    const change = new Change()
    records.apiKeys.insert(change, key.account, key)
    records.keyDigests.insert(change, SYSTEM, { digest: key.digest, account: key.account, id: key.id })
    return (await commit(change, key)) ? key : null
  }
  const find = async (account: string, id: string) => {
    const stored = await records.apiKeys.get(account, id)
    if (!stored) throw notFound('API key')
    return stored
  }
  const checkMayRevoke = async ({ account, key, scopes }: Principal, target: ApiKeyRecord) => {
    if (key === undefined || key === target.id) return
    const wider = target.scopes.some((scope) => !covers(scopes, scope))
    let ancestor = wider ? undefined : (await records.apiKeys.get(account, key))?.value.maker
    while (ancestor !== undefined && ancestor !== target.id) ancestor = (await records.apiKeys.get(account, ancestor))?.value.maker
    if (wider || ancestor !== undefined) throw new PlatformError('FORBIDDEN', 'A key cannot revoke a key with more scopes, nor one that it was made by')
  }
  return {
    async create(principal, input, terms) {
      checkScopes(principal, input.scopes)
      const secret = makeSecret(prefix, random)
      const key = await insert(principal, secret, input, (change, made) => commitOnTerms(records, change, terms, { ...keyOf(made), secret }))
      if (!key) throw busy('The key could not be saved; try again')
      return { ...keyOf(key), secret }
    },

    async adopt(principal, secret, input) {
      checkSecret(secret, prefix)
      checkScopes(principal, input.scopes)
      const key = await insert(principal, secret, input)
      if (key) return keyOf(key)
      const known = await records.keyDigests.get(SYSTEM, await sha256Hex(secret))
      if (known?.value.account !== principal.account) throw conflict('This key belongs to another account')
      return keyOf((await find(principal.account, known.value.id)).value)
    },

    list: ({ account }, query = {}) =>
      readPage(cursors, { account, operation: 'keys.list', filter: null }, query, async (after, limit) => {
        const page = await paginate({
          read: async (position, count) => {
            const found = await records.apiKeys.list(account, { limit: count, reverse: true, ...(position && { before: position }) })
            return found.map(({ value, id }) => ({ item: value, position: id }))
          },
          after,
          limit,
        })
        return { items: page.items.map(keyOf), next: page.next }
      }),

    async revoke(principal, id, terms) {
      const { account } = principal
      for (let attempt = 1; attempt <= TRIES; attempt++) {
        const old = await find(account, id)
        await checkMayRevoke(principal, old.value)
        terms?.expect(keyOf(old.value))
        if (old.value.revokedAt !== null) return keyOf(old.value)
        const revoked = { ...old.value, revokedAt: clock.now() }
        const change = new Change()
        records.apiKeys.update(change, account, old, revoked)
        const data = keyOf(revoked)
        if (await commitOnTerms(records, change, terms, data)) return data
      }
      throw busy('The key is being changed by others; try again')
    },
  }
}

function checkScopes(principal: Principal, scopes: readonly string[]): void {
  const unknown = scopes.flatMap((scope, at) => (isGrantable(scope) ? [] : [{ path: `scopes.${at}`, message: 'is no known scope' }]))
  if (unknown.length > 0 || scopes.length === 0) throw badRequest(unknown.length > 0 ? unknown : [{ path: 'scopes', message: 'must not be empty' }])
  const wider = scopes.filter((scope) => !covers(principal.scopes, scope))
  if (wider.length > 0) throw new PlatformError('FORBIDDEN', `A key cannot have more scopes than its maker: ${wider.join(', ')}`)
}

/** Whether a grantable scope is granted: itself, its family or everything. The parts of a family are not the family: it may grow. */
function covers(granted: readonly string[], scope: string): boolean {
  return granted.includes('*') || granted.includes(scope) || SCOPES.some((single) => single === scope && grants(granted, single))
}

function expiryOf({ expiresAt }: KeyInput, now: number): number | null {
  if (expiresAt === undefined) return null
  const time = Date.parse(expiresAt)
  if (!Number.isFinite(time)) throw badRequest([{ path: 'expiresAt', message: 'is no time' }])
  if (time <= now) throw badRequest([{ path: 'expiresAt', message: 'has passed' }])
  return time
}

function keyOf({ id, name, scopes, hint, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKeyRecord): ApiKey {
  return { id, name, scopes, hint, createdAt: isoTime(createdAt), expiresAt: isoTimeOrNull(expiresAt), revokedAt: isoTimeOrNull(revokedAt), lastUsedAt: isoTimeOrNull(lastUsedAt) }
}
