import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** An API key. The secret itself is never stored. */
export interface ApiKeyRecord {
  readonly id: string
  readonly account: string
  /** The user who made it. Absent: an earlier version made the key; its account counts instead. */
  readonly user?: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Id of the key that made this one. Absent: it was not made by a key. */
  readonly maker?: string
  /**
   * True if `expiresAt` is not later than the maker's expiry. Absent: an earlier version made the
   * key without this check.
   */
  readonly bound?: true
  /** SHA-256 of the whole key, hex. */
  readonly digest: string
  /** First characters of the secret, for recognising it. */
  readonly hint: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** Digest → key, for all accounts. */
export interface KeyDigestRecord {
  readonly digest: string
  readonly account: string
  readonly id: string
}

/** Records of API keys. */
export interface KeyRecords {
  readonly apiKeys: Collection<ApiKeyRecord>
  readonly keyDigests: Collection<KeyDigestRecord>
}

/** Opens the records of API keys. */
export function openKeyRecords(store: Store): KeyRecords {
  return {
    apiKeys: new Collection<ApiKeyRecord>(store, { name: 'api-keys', id: (key) => [key.id] }),
    keyDigests: new Collection<KeyDigestRecord>(store, {
      name: 'key-digests',
      id: (entry) => [entry.digest],
      owner: ({ account }) => account,
    }),
  }
}
