import type { Commit, Store } from '../../../src/ports/store.ts'

/** The way in which the k-th commit fails. */
export const FAULTS = [
  'fail-before',
  'fail-after',
  'fail-3x',
  'crash-before',
  'crash-after',
  'stall-before',
  'stall-after',
] as const
export type Fault = (typeof FAULTS)[number]

/** The process died: none of its later calls reaches the store. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** A store whose k-th commit has a fault; all other calls succeed. */
export class FaultStore implements Store {
  readonly #base: Store
  readonly #k: number
  readonly #fault: Fault
  readonly #onStall: () => Promise<void>
  readonly #death = new AbortController()
  #commits = 0
  /** While the whole process hangs, none of its calls reaches the store. */
  #stalled: Promise<void> | null = null
  fired = false

  /** `onStall` does the work of other processes while the commit hangs. */
  constructor(base: Store, k: number, fault: Fault, onStall: () => Promise<void>) {
    this.#base = base
    this.#k = k
    this.#fault = fault
    this.#onStall = onStall
  }

  /** Aborts when the process dies. */
  get death(): AbortSignal {
    return this.#death.signal
  }

  get: Store['get'] = (keys) => this.#alive(() => this.#base.get(keys))
  list: Store['list'] = (range) => this.#alive(() => this.#base.list(range))
  close = async (): Promise<void> => {}

  commit = async (change: Commit): Promise<boolean> => {
    await this.#stalled
    if (this.death.aborted) throw new Crash()
    const n = ++this.#commits
    const hit = this.#fault === 'fail-3x' ? n >= this.#k && n < this.#k + 3 : n === this.#k
    if (!hit) return this.#base.commit(change)
    this.fired = true
    switch (this.#fault) {
      case 'fail-before':
      case 'fail-3x':
        throw new Error('The store is unavailable')
      case 'fail-after':
        await this.#base.commit(change)
        throw new Error('The answer of the store was lost')
      case 'crash-before':
        return this.#die()
      case 'crash-after':
        await this.#base.commit(change)
        return this.#die()
      case 'stall-before':
        await this.#stall()
        return this.#base.commit(change)
      case 'stall-after': {
        const written = await this.#base.commit(change)
        await this.#stall()
        return written
      }
    }
  }

  async #stall(): Promise<void> {
    this.#stalled = this.#onStall()
    await this.#stalled
  }

  #die(): never {
    this.#death.abort()
    throw new Crash()
  }

  async #alive<T>(read: () => Promise<T>): Promise<T> {
    await this.#stalled
    if (this.death.aborted) throw new Crash()
    return read()
  }
}

/** A store with another way to write, and the same reads. */
export const through = (store: Store, commit: Store['commit']): Store => ({
  get: (keys) => store.get(keys),
  list: (range) => store.list(range),
  commit,
  close: () => store.close(),
})

/**
 * Plays a run once for each of its commits (or for some of them) with the fault in the k-th, and
 * once without a fault. Returns the broken rules.
 */
export async function playEach(
  fault: string,
  play: (k: number) => Promise<{ readonly fired: boolean; readonly broken: readonly string[] }>,
  { first = 1, step = 1 } = {},
): Promise<{ scenarios: number; broken: string[] }> {
  const broken: string[] = []
  for (let k = first, scenarios = 0; ; k += step, scenarios++) {
    const played = await play(k)
    broken.push(...played.broken.map((what) => `${fault}@${k}: ${what}`))
    if (!played.fired) return { scenarios, broken }
  }
}
