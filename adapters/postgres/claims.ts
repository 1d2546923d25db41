import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'

const READ = 0
const ADDED = 1
const WRITTEN = 2

/**
 * The keys that commits read, add to or write. Two commits may be sent together if their order does
 * not matter.
 */
export class Claims {
  readonly #keys = new Map<string, number>()

  /** True if `commit` must wait for the commits in this set. */
  conflictsWith(commit: EncodedCommit): boolean {
    const claimed = this.#keys
    if (claimed.size === 0) return false
    const other = (key: string, mode: number) => {
      const had = claimed.get(key)
      return had !== undefined && (had !== mode || mode === WRITTEN)
    }
    return (
      commit.checks.some(({ key }) => other(key, READ)) ||
      commit.sets.some(({ key }) => other(key, WRITTEN)) ||
      commit.deletes.some((key) => other(key, WRITTEN)) ||
      commit.adds.some(({ key }) => other(key, ADDED))
    )
  }

  add(commit: EncodedCommit): void {
    for (const { key } of commit.checks) this.#claim(key, READ)
    for (const { key } of commit.sets) this.#claim(key, WRITTEN)
    for (const key of commit.deletes) this.#claim(key, WRITTEN)
    for (const { key } of commit.adds) this.#claim(key, ADDED)
  }

  #claim(key: string, mode: number): void {
    const had = this.#keys.get(key)
    this.#keys.set(key, had === undefined || had === mode ? mode : WRITTEN)
  }
}
