import { shortDigest } from '../../defaults/short-digest.ts'
import { equalText } from '../../kernel/crypto.ts'
import type { RequestHeaders } from '../../kernel/http/message.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Authenticator } from '../../ports/authenticator.ts'
import type { Clock } from '../../ports/clock.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { ApiKeyRecord } from './records.ts'
import { endOfKey } from '../common/key-end.ts'
import { DEFAULT_PREFIX, isWellFormed } from './secret.ts'

/** What {@link createKeyAuthenticator} works with. */
interface KeyAuthenticatorOptions {
  readonly records: Records
  readonly clock: Clock
  /** Default `svc_sk_`. */
  readonly prefix?: string
  /** SHA-256 of a short text in lower-case hex, at once; default one that runs everywhere. */
  readonly digest?: (text: string) => string
  /** Which forms are accepted; both by default. */
  readonly headers?: { readonly bearer?: boolean; readonly apiKey?: boolean }
}

/** How exact `lastUsedAt` is: a write at every call would cost more than the call. */
const USED_RESOLUTION_MS = 3_600_000
const BEARER = /^bearer +(\S+) *$/i

/**
 * Knows callers by their API key, in `Authorization: Bearer svc_sk_…` or `X-API-Key`. The key's
 * record is read at every call, so that a revoked one is refused from the next call on. A key ends
 * with the key that made it. An unknown, a revoked and an expired key get the same answer after the
 * same reads.
 */
export function createKeyAuthenticator({
  records,
  clock,
  prefix = DEFAULT_PREFIX,
  digest: digestOf = shortDigest,
  headers = {},
}: KeyAuthenticatorOptions): Authenticator {
  const { bearer = true, apiKey = true } = headers
  const recent = new RecentKeys()
  const isGood = async (stored: Stored<ApiKeyRecord> | null, digest: string): Promise<boolean> => {
    if (
      stored === null ||
      !equalText(stored.value.digest, digest) ||
      !isUsable(stored.value, clock.now())
    )
      return false
    if (stored.value.maker === undefined || stored.value.bound) return true
    const end = await endOfKey(records, stored.value)
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
    const known = recent.recall(digest)
    if (!known) return null
    const found = await records.apiKeys.get(known.value.account, known.value.id)
    // Of the same version is the same record, which has been parsed before.
    const stored = found?.version === known.version ? known : found
    if (stored && (await isGood(stored, digest))) {
      if (stored !== known) recent.remember(digest, stored)
      return stored
    }
    // Looked for once more from the start, so that what was remembered makes no answer.
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
    const { account, id, scopes, lastUsedAt } = stored.value
    const now = clock.now()
    if (lastUsedAt === null || now - lastUsedAt >= USED_RESOLUTION_MS)
      await noteUse(records, stored, now)
    // Keys of one account share its rate: more keys must not mean more calls.
    return { account, user: account, key: id, scopes }
  }
  return Object.assign((request: Request) => byHeaders(request.headers), { byHeaders })
}

function isUsable({ revokedAt, expiresAt }: ApiKeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

/**
 * Best effort: whoever loses the race to write leaves it to the other, and a store that cannot
 * write can still be read.
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
 * The records of the keys that were used last, by digest. A record never moves, and whether its key
 * is still good only the store tells: what is remembered is where to look, and what a record of
 * that version says. No secret is held here, and no more than the store has.
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
