import type { Stored } from '../../records/collection.ts'
import type { ApiKeyRecord } from '../../records/key-records.ts'

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
