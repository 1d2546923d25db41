import type { Key } from '../kernel/key.ts'
import type { Commit } from '../ports/store.ts'

/** Gathers the parts of one atomic write. Collections add to it; {@link Records.commit} writes it. */
export class Change {
  readonly #check: { key: Key; version: string | null }[] = []
  readonly #set: { key: Key; value: unknown; expiresAt?: number }[] = []
  readonly #delete: Key[] = []

  /** The commit succeeds only if `key` has this version; `null`: only if it is absent. */
  check(key: Key, version: string | null): this {
    this.#check.push({ key, version })
    return this
  }

  /** `expiresAt`: Unix milliseconds. */
  set(key: Key, value: unknown, expiresAt?: number): this {
    this.#set.push(expiresAt === undefined ? { key, value } : { key, value, expiresAt })
    return this
  }

  delete(key: Key): this {
    this.#delete.push(key)
    return this
  }

  /** Number of writes so far. */
  get size(): number {
    return this.#set.length + this.#delete.length
  }

  toCommit(): Commit {
    return { check: this.#check, set: this.#set, delete: this.#delete }
  }
}
