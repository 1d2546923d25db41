import type { Store } from '../../../src/ports/store.ts'

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

/** Options of {@link FaultStore}. */
interface FaultStoreOptions {
  /** The work of other processes while the commit hangs. Default: nothing. */
  readonly onStall?: () => Promise<void>
  /** The calls that `k` counts: commits, or all. Default: commits. */
  readonly counts?: 'commits' | 'calls'
}

/** A store whose k-th commit, or call, has a fault; all others succeed. */
export class FaultStore implements Store {
  readonly #base: Store
  readonly #k: number
  readonly #fault: Fault
  readonly #onStall: () => Promise<void>
  readonly #countsReads: boolean
  readonly #death = new AbortController()
  #calls = 0
  /** While the whole process hangs, none of its calls reaches the store. */
  #stalled: Promise<void> | null = null
  fired = false

  constructor(
    base: Store,
    k: number,
    fault: Fault,
    { onStall = async () => {}, counts = 'commits' }: FaultStoreOptions = {},
  ) {
    this.#base = base
    this.#k = k
    this.#fault = fault
    this.#onStall = onStall
    this.#countsReads = counts === 'calls'
  }

  /** Aborts when the process dies. */
  get death(): AbortSignal {
    return this.#death.signal
  }

  get: Store['get'] = (keys) => this.#call(() => this.#base.get(keys), this.#countsReads)
  list: Store['list'] = (range) => this.#call(() => this.#base.list(range), this.#countsReads)
  commit: Store['commit'] = (change) => this.#call(() => this.#base.commit(change), true)
  close = async (): Promise<void> => {}

  async #call<T>(call: () => Promise<T>, isCounted: boolean): Promise<T> {
    await this.#stalled
    if (this.death.aborted) throw new Crash()
    if (!isCounted || !this.#isHit()) return call()
    this.fired = true
    switch (this.#fault) {
      case 'fail-before':
      case 'fail-3x':
        throw new Error('The store is unavailable')
      case 'fail-after':
        await call()
        throw new Error('The answer of the store was lost')
      case 'crash-before':
        return this.#die()
      case 'crash-after':
        await call()
        return this.#die()
      case 'stall-before':
        await this.#stall()
        return call()
      case 'stall-after': {
        const answer = await call()
        await this.#stall()
        return answer
      }
    }
  }

  #isHit(): boolean {
    const n = ++this.#calls
    return this.#fault === 'fail-3x' ? n >= this.#k && n < this.#k + 3 : n === this.#k
  }

  async #stall(): Promise<void> {
    this.#stalled = this.#onStall()
    await this.#stalled
  }

  #die(): never {
    this.#death.abort()
    throw new Crash()
  }
}

/** A store with another way to write, and the same reads. */
export const through = (store: Store, commit: Store['commit']): Store => ({
  get: (keys) => store.get(keys),
  list: (range) => store.list(range),
  commit,
  close: () => store.close(),
})

/** Plants a bug: entries of a collection are in a commit of their own, before that of the rest. */
export const committedApart =
  (collection: string) =>
  (store: Store): Store =>
    through(store, async (change) => {
      const entries = (change.set ?? []).filter(({ key }) => key[1] === collection)
      if (entries.length > 0) await store.commit({ set: entries })
      return store.commit({
        ...change,
        set: (change.set ?? []).filter(({ key }) => key[1] !== collection),
      })
    })

/** The result of work whose k-th commit was to have a fault. */
export interface Played {
  /** True if there was such a commit. */
  readonly fired: boolean
  /** The rules that were broken. */
  readonly broken: readonly string[]
}

/** Which commits {@link playEach} takes: all of them, or some. */
export interface CommitRange {
  readonly first?: number
  readonly last?: number
  readonly step?: number
}

/**
 * Plays work once for each of its commits, with the fault in the k-th, and once without a fault.
 * Returns the broken rules, and with how many commits it was played.
 */
export async function playEach(
  fault: string,
  play: (k: number) => Promise<Played>,
  { first = 1, last = Infinity, step = 1 }: CommitRange = {},
): Promise<{ scenarios: number; broken: string[] }> {
  const broken: string[] = []
  let scenarios = 0
  for (let k = first; k <= last; k += step, scenarios++) {
    const played = await play(k)
    broken.push(...played.broken.map((what) => `${fault}@${k}: ${what}`))
    if (!played.fired) break
  }
  return { scenarios, broken }
}
