import { sha256Hex } from '../../kernel/crypto.ts'
import { PlatformError, badRequest, conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { once } from '../../kernel/concurrency.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { notGrantable } from '../../kernel/scope.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { ApiKeyRecord } from './records.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { byId } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { DEFAULT_PREFIX, checkSecret, hintOf, makeSecret } from './secret.ts'
import type { Core } from '../core.ts'

/** An API key on the wire. It never contains the secret. */
export interface ApiKey extends Omit<
  ApiKeyRecord,
  'account' | 'maker' | 'bound' | 'digest' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'
> {
  /** The key that made this one. `null`: it was not made by a key. */
  readonly makerId: string | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

/** A new key with its secret, which is returned only once. */
export interface CreatedKey extends ApiKey {
  readonly secret: string
}

/** A key to make. */
export interface KeyInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** ISO 8601, not later than the maker's expiry. Absent: the maker's expiry, or never. */
  readonly expiresAt?: string
}

/** A key that was revoked. */
export interface RevokedKey extends ApiKey {
  readonly descendantsRevoked: number
}

/** How far a revocation goes. */
export interface RevokeOptions {
  /**
   * True to also revoke the key's descendants: keys that it made, that these made, and so on.
   * Default `false`.
   */
  readonly descendants?: boolean
}

/** API keys of an account. */
export interface Keys {
  /**
   * @throws {PlatformError} 403 for a scope that the maker does not have; 400 for an unknown scope,
   *   and for a time in the past or after the maker's expiry; 409 if the account has its maximum
   *   number of keys
   */
  create(principal: Principal, input: KeyInput, preconditions?: Preconditions): Promise<CreatedKey>
  /**
   * Admits a secret that was made elsewhere, for example on the command line. Idempotent.
   *
   * @throws {PlatformError} 409 if the secret belongs to another account
   */
  adopt(principal: Principal, secret: string, input: KeyInput): Promise<ApiKey>
  /** Newest first, revoked ones included. */
  list(principal: Principal, query?: CreatedQuery): Promise<ListPage<ApiKey>>
  /**
   * Revokes a key from the next request on. Idempotent. With `descendants`, all descendants are
   * revoked in the same commit, or in earlier commits if there are many. A key may revoke itself
   * and keys that it could have made, so that a leaked key cannot lock out its owner.
   *
   * @throws {PlatformError} 403 if a key would revoke one that it descends from, or one with more
   *   scopes
   */
  revoke(
    principal: Principal,
    id: string,
    options?: RevokeOptions,
    preconditions?: Preconditions,
  ): Promise<RevokedKey>
}

/** Number of keys that one commit revokes. */
const MOST_A_COMMIT = 250

type Commit = (change: Change, key: ApiKeyRecord) => Promise<boolean>

/** The service of API keys. */
export function createKeys(core: Core, prefix = DEFAULT_PREFIX): Keys {
  const { records, holdings, ids, clock, random } = core
  /** Makes a key once. `null`: the secret is already known, or another commit conflicted. */
  const insert = async (
    principal: Principal,
    secret: string,
    input: KeyInput,
    commit: Commit = (change) => records.commit(change),
  ): Promise<ApiKeyRecord | null> => {
    const [id, { account, user }, digest] = [ids('key'), principal, await sha256Hex(secret)]
    const now = clock.now()
    const tally = await holdings.open(account, 'keys')
    const change = new Change()
    const expiresAt = expiryOf(input, now)
    const key: ApiKeyRecord = {
      id,
      account,
      user,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      ...(await (await keyTree()).bindToMaker(records, change, principal, expiresAt, now)),
      digest,
      hint: hintOf(secret, prefix),
      createdAt: now,
      revokedAt: null,
      lastUsedAt: null,
    }
    await tally.add(change, 1)
    records.apiKeys.insert(change, account, key)
    records.keyDigests.insert(change, SYSTEM, { digest, account, id })
    return (await commit(change, key)) ? key : null
  }
  const find = async (account: string, id: string) => {
    const stored = await records.apiKeys.get(account, id)
    if (!stored) throw notFound('API key')
    return stored
  }
  return {
    async create(principal, input, preconditions) {
      await checkScopes(principal, input.scopes)
      const secret = makeSecret(prefix, random)
      const key = await holdings.retry(principal.account, 'keys', 'The account', () =>
        insert(principal, secret, input, (change, made) =>
          commitWithPreconditions(records, change, preconditions, { ...keyOf(made), secret }),
        ),
      )
      return { ...keyOf(key), secret }
    },

    async adopt(principal, secret, input) {
      checkSecret(secret, prefix)
      await checkScopes(principal, input.scopes)
      const adopted = async (): Promise<ApiKey | null> => {
        const owner = await records.keyDigests.get(SYSTEM, await sha256Hex(secret))
        if (!owner) return null
        if (owner.value.account !== principal.account)
          throw conflict('This key belongs to another account')
        return keyOf((await find(principal.account, owner.value.id)).value)
      }
      const before = await adopted()
      if (before) return before
      return holdings.retry(principal.account, 'keys', 'The account', async () => {
        const key = await insert(principal, secret, input)
        return key ? keyOf(key) : adopted()
      })
    },

    list: ({ account }, query = {}) =>
      listRecords(core, {
        account,
        operation: 'keys.list',
        query,
        source: {
          collection: records.apiKeys,
          keys: byId('key'),
          timeOf: ({ createdAt }) => createdAt,
        },
        show: (items) => items.map(keyOf),
      }),

    async revoke(principal, id, { descendants = false } = {}, preconditions) {
      const { account } = principal
      let ended = 0
      return holdings.retry(account, 'keys', 'The key', async () => {
        // The count is read before the tree, so that the last commit fails if a key was made in the
        // meantime.
        const tally = await holdings.open(account, 'keys')
        const root = await find(account, id)
        const { demandMayRevoke, usableDescendants } = await keyTree()
        await demandMayRevoke(records, principal, root.value)
        preconditions?.expect(keyOf(root.value))
        const below = descendants ? await usableDescendants(records, account, id) : []
        const batch = below.slice(0, MOST_A_COMMIT)
        const isLast = batch.length === below.length
        const now = clock.now()
        const change = new Change()
        for (const key of batch)
          records.apiKeys.update(change, account, key, { ...key.value, revokedAt: now })
        const ends = isLast && root.value.revokedAt === null
        const record = ends ? { ...root.value, revokedAt: now } : root.value
        if (ends) records.apiKeys.update(change, account, root, record)
        const data = { ...keyOf(record), descendantsRevoked: ended + batch.length }
        if (change.size === 0) return data
        await tally.add(change, -batch.length - (ends ? 1 : 0))
        if (
          !(await commitWithPreconditions(
            records,
            change,
            isLast ? preconditions : undefined,
            data,
          ))
        )
          return null
        ended += batch.length
        return isLast ? data : null
      })
    },
  }
}

/** Loaded on demand: keys are rarely made and revoked. */
const keyTree = once(() => import('./key-tree.ts'))

async function checkScopes(principal: Principal, scopes: readonly string[]): Promise<void> {
  const unknown = scopes.flatMap((scope, index) => {
    const message = notGrantable(scope)
    return message === null ? [] : [{ path: `scopes.${index}`, message }]
  })
  if (unknown.length > 0 || scopes.length === 0)
    throw badRequest(
      unknown.length > 0 ? unknown : [{ path: 'scopes', message: 'must not be empty' }],
    )
  const { covers } = await keyTree()
  const wider = scopes.filter((scope) => !covers(principal.scopes, scope))
  if (wider.length > 0)
    throw new PlatformError(
      'FORBIDDEN',
      `A key cannot have more scopes than the key that creates it: ${wider.join(', ')}`,
    )
}

function expiryOf({ expiresAt }: KeyInput, now: number): number | null {
  if (expiresAt === undefined) return null
  const time = Date.parse(expiresAt)
  if (!Number.isFinite(time)) throw badRequest([{ path: 'expiresAt', message: 'must be a time' }])
  if (time <= now) throw badRequest([{ path: 'expiresAt', message: 'has passed' }])
  return time
}

function keyOf({
  id,
  name,
  scopes,
  maker,
  hint,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
}: ApiKeyRecord): ApiKey {
  return {
    id,
    name,
    scopes,
    makerId: maker ?? null,
    hint,
    createdAt: isoTime(createdAt),
    expiresAt: isoTimeOrNull(expiresAt),
    revokedAt: isoTimeOrNull(revokedAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  }
}
