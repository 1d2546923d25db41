import type { Commit, Store } from '../../../src/ports/store.ts'

/** A store that counts the writes that reached it, by collection. */
export class EffectCounter implements Store {
  readonly #base: Store
  readonly #counts = new Map<string, number>()

  constructor(base: Store) {
    this.#base = base
  }

  get: Store['get'] = (keys) => this.#base.get(keys)
  list: Store['list'] = (range) => this.#base.list(range)
  close: Store['close'] = () => this.#base.close()

  commit = async (change: Commit): Promise<boolean> => {
    const isWritten = await this.#base.commit(change)
    if (!isWritten) return false
    for (const key of [...(change.set ?? []).map((set) => set.key), ...(change.delete ?? [])]) {
      const name = String(key[1])
      this.#counts.set(name, this.of(name) + 1)
    }
    return true
  }

  of(collection: string): number {
    return this.#counts.get(collection) ?? 0
  }
}
