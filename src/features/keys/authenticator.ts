import { shortDigest } from '../../defaults/short-digest.ts'
import { equalText } from '../../kernel/crypto.ts'
import type { RequestHeaders } from '../../kernel/http/message.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Authenticator } from '../../ports/authenticator.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { ApiKeyRecord } from './records.ts'
import { endOfKey } from '../common/key-end.ts'
import { DEFAULT_PREFIX, isWellFormed } from './secret.ts'
import type { Core } from '../core.ts'
import { HOUR_MS } from '../../kernel/time.ts'

/** Resolution of `lastUsedAt`, in ms. A write at every call would cost more than the call. */
const USED_RESOLUTION_MS = HOUR_MS
const BEARER = /^bearer +(\S+) *$/i

/**
 * Authenticates callers by their API key, in `Authorization: Bearer svc_sk_…` or `X-API-Key`. The
 * key's record is read at every call, so that a revoked key is refused from the next call on. A key
 * expires together with the key that made it. An unknown, a revoked and an expired key get the same
 * response after the same reads.
 */
export function createKeyAuthenticator(
  { records, clock }: Core,
  {
    prefix = DEFAULT_PREFIX,
    digest: digestOf = shortDigest,
    headers = {},
  }: {
    /** Default `svc_sk_`. */
    readonly prefix?: string
    /**
     * SHA-256 of a short text in lower-case hex, synchronous. Default: one that runs on every
     * runtime.
     */
    readonly digest?: (text: string) => string
    /** Accepted headers. Default: both. */
    readonly headers?: { readonly bearer?: boolean; readonly apiKey?: boolean }
  } = {},
): Authenticator {
  const { bearer = true, apiKey = true } = headers
  const recent = new RecentKeys()
  // This is not an async function, because each call waits for it, and for most keys no second key
  // is read.
  const isGood = (
    stored: Stored<ApiKeyRecord> | null,
    digest: string,
  ): boolean | Promise<boolean> => {
    if (
      stored === null ||
      !equalText(stored.value.digest, digest) ||
      !isUsable(stored.value, clock.now())
    )
      return false
    const { maker, bound } = stored.value
    return maker === undefined || bound === true || isBeforeEnd(stored.value)
  }
  const isBeforeEnd = async (key: ApiKeyRecord): Promise<boolean> => {
    const end = await endOfKey(records, key)
    return end === null || end > clock.now()
  }
  const find = async (digest: string): Promise<RecentKey | null> => {
    const entry = await records.keyDigests.get(SYSTEM, digest)
    const stored = await records.apiKeys.get(
      entry?.value.account ?? SYSTEM,
      entry?.value.id ?? digest,
    )
    return stored && (await isGood(stored, digest)) ? recent.remember(digest, stored) : null
  }
  const byHeaders = async (sent: RequestHeaders): Promise<Principal | null> => {
    const secret =
      (apiKey ? sent.get('x-api-key') : null) ??
      (bearer ? BEARER.exec(sent.get('authorization') ?? '')?.[1] : null)
    if (secret === null || secret === undefined || !isWellFormed(secret, prefix)) return null
    const digest = digestOf(secret)
    let key: RecentKey | null = null
    // This is one function, because each further promise would cost more than the checks.
    const remembered = recent.recall(digest)
    if (remembered) {
      const { account, id } = remembered.stored.value
      const current = await records.apiKeys.get(account, id)
      // A record of this version was parsed before, so it is not parsed again.
      const isSame = current?.version === remembered.stored.version
      const stored = isSame ? remembered.stored : current
      const good = isGood(stored, digest)
      if (stored && (typeof good === 'boolean' ? good : await good))
        key = isSame ? remembered : recent.remember(digest, stored)
      // The key is looked up again from the start, so that cached data never decides the answer.
      else recent.forget(digest)
    }
    key ??= await find(digest)
    if (!key) return null
    const { lastUsedAt } = key.stored.value
    const now = clock.now()
    if (lastUsedAt === null || now - lastUsedAt >= USED_RESOLUTION_MS)
      await noteUse(records, key.stored, now)
    return key.principal
  }
  return Object.assign((request: Request) => byHeaders(request.headers), { byHeaders })
}

/**
 * The caller of a key. Keys of one user share that user's rates and quotas: more keys must not
 * allow more calls. It is frozen, as many calls share it.
 */
function principalOf({ account, user = account, id, scopes }: ApiKeyRecord): Principal {
  return Object.freeze({ account, user, key: id, scopes: Object.freeze([...scopes]) })
}

function isUsable({ revokedAt, expiresAt }: ApiKeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

/**
 * Best effort: if another process writes first, its write is enough, and authentication must work
 * with a store that cannot write.
 */
async function noteUse(records: Records, stored: Stored<ApiKeyRecord>, now: number): Promise<void> {
  const change = new Change()
  records.apiKeys.update(change, stored.value.account, stored, { ...stored.value, lastUsedAt: now })
  try {
    await records.commit(change)
  } catch {
    // The next call tries again.
  }
}

const MOST = 10_000

/** The record of a key at one version, and its caller. */
export interface RecentKey {
  readonly stored: Stored<ApiKeyRecord>
  readonly principal: Principal
}

/**
 * Cache of the records of recently used keys, by digest. A record always stays at the same place,
 * but only the store knows whether its key is still valid. So the cache has only the place of a
 * record, and its content at one version. It contains no secrets, and nothing beyond what the store
 * has.
 */
export class RecentKeys {
  readonly #records = new Map<string, RecentKey>()

  remember(digest: string, { value, version, id }: Stored<ApiKeyRecord>): RecentKey {
    const [oldest] = this.#records.size < MOST ? [] : this.#records.keys()
    if (oldest !== undefined) this.#records.delete(oldest)
    const key = { stored: { value, version, id }, principal: principalOf(value) }
    this.#records.set(digest, key)
    return key
  }

  recall(digest: string): RecentKey | null {
    return this.#records.get(digest) ?? null
  }

  forget(digest: string): void {
    this.#records.delete(digest)
  }
}
