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

/** Resolution of `lastUsedAt`, in ms: a write at every call would cost more than the call. */
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
  // Not async: most keys have no maker, and each call waits for the answer.
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
  const find = async (digest: string): Promise<Stored<ApiKeyRecord> | null> => {
    const entry = await records.keyDigests.get(SYSTEM, digest)
    const stored = await records.apiKeys.get(
      entry?.value.account ?? SYSTEM,
      entry?.value.id ?? digest,
    )
    if (!stored || !(await isGood(stored, digest))) return null
    recent.remember(digest, stored)
    return stored
  }
  const findAgain = async (digest: string): Promise<Stored<ApiKeyRecord> | null> => {
    const remembered = recent.recall(digest)
    if (!remembered) return null
    const current = await records.apiKeys.get(remembered.value.account, remembered.value.id)
    // A record of the same version has been parsed before.
    const stored = current?.version === remembered.version ? remembered : current
    if (stored && (await isGood(stored, digest))) {
      if (stored !== remembered) recent.remember(digest, stored)
      return stored
    }
    // The caller then reads again from the start, so that cached data never decides the answer.
    recent.forget(digest)
    return null
  }
  const byHeaders = async (sent: RequestHeaders): Promise<Principal | null> => {
    const secret =
      (apiKey ? sent.get('x-api-key') : null) ??
      (bearer ? BEARER.exec(sent.get('authorization') ?? '')?.[1] : null)
    if (secret === null || secret === undefined || !isWellFormed(secret, prefix)) return null
    const digest = digestOf(secret)
    const stored = (await findAgain(digest)) ?? (await find(digest))
    if (!stored) return null
    const { account, user = account, id, scopes, lastUsedAt } = stored.value
    const now = clock.now()
    if (lastUsedAt === null || now - lastUsedAt >= USED_RESOLUTION_MS)
      await noteUse(records, stored, now)
    // Keys of one user share that user's rates and quotas: more keys must not allow more calls.
    return { account, user, key: id, scopes }
  }
  return Object.assign((request: Request) => byHeaders(request.headers), { byHeaders })
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

/**
 * Cache of the records of recently used keys, by digest. A record never moves, but only the store
 * knows whether its key is still valid. The cache therefore holds only where a record is, and its
 * content at one version. It contains no secrets, and nothing beyond what the store has.
 */
export class RecentKeys {
  readonly #records = new Map<string, Stored<ApiKeyRecord>>()

  remember(digest: string, { value, version, id }: Stored<ApiKeyRecord>): void {
    const [oldest] = this.#records.size < MOST ? [] : this.#records.keys()
    if (oldest !== undefined) this.#records.delete(oldest)
    this.#records.set(digest, { value, version, id })
  }

  recall(digest: string): Stored<ApiKeyRecord> | null {
    return this.#records.get(digest) ?? null
  }

  forget(digest: string): void {
    this.#records.delete(digest)
  }
}
