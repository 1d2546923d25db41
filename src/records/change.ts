import { encodeKey } from '../kernel/key.ts'
import type { Key } from '../kernel/key.ts'
import type { Commit } from '../ports/store.ts'

/** Collects the parts of one atomic write. Collections add to it; {@link Records.commit} writes it. */
export class Change {
  readonly #check: { key: Key; version: string | null }[] = []
  readonly #set: { key: Key; value: unknown; expiresAt?: number }[] = []
  readonly #delete: Key[] = []
  readonly #applied: (() => void)[] = []
  readonly #add = new Map<string, { key: Key; amount: number }>()

  /** The commit succeeds only if `key` has this version. `null`: only if the key is absent. */
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

  /**
   * Adds to a counter, which begins at zero. Needs no check: the order of additions does not
   * matter.
   */
  add(key: Key, amount: number): this {
    // A commit may name each key only once.
    const id = encodeKey(key)
    this.#add.set(id, { key, amount: amount + (this.#add.get(id)?.amount ?? 0) })
    return this
  }

  /**
   * Calls `effect` when the commit has been applied. It is not called if the outcome of the commit
   * is unknown. `effect` must not throw.
   */
  whenApplied(effect: () => void): this {
    this.#applied.push(effect)
    return this
  }

  /** Call this after the commit was applied. */
  applied(): void {
    for (const effect of this.#applied) effect()
  }

  /** Number of writes so far. */
  get size(): number {
    return this.#set.length + this.#delete.length + this.#add.size
  }

  toCommit(): Commit {
    return {
      check: this.#check,
      set: this.#set,
      delete: this.#delete,
      ...(this.#add.size > 0 && { add: [...this.#add.values()] }),
    }
  }
}
