import { setTimeout as pause } from 'node:timers/promises'
import { Luck } from '../simulate/luck.ts'
import { checkHistory } from './check.ts'
import { readLists } from './client.ts'
import type { Anomaly, History, ListRead, Transaction } from './history.ts'
import { KILL } from './places.ts'
import type { HistoryOrder, HistoryStore, HistoryWriter } from './places.ts'

/** A run with what came out. */
export interface Played {
  readonly fault: string | null
  readonly history: History
  readonly anomalies: readonly Anomaly[]
}

/** Processes of a store, which one run after the other uses. */
export class HistoryRuns {
  readonly #store: HistoryStore
  readonly #writers: HistoryWriter[] = []

  constructor(store: HistoryStore) {
    this.#store = store
  }

  /** Plays one run. All that is drawn follows from the seed; when it happens does not. */
  async play(seed: number): Promise<Played> {
    const luck = new Luck(seed)
    const processes = luck.int(2, 3)
    const each = luck.int(1, 3)
    const order = {
      place: `r${process.pid}_${seed}`,
      isShared: luck.chance(0.5),
      seed,
      keys: luck.int(3, 8),
      count: luck.int(10, 30),
    }
    const fault = luck.chance(0.7) ? luck.any(this.#store.faults) : null
    const due = Math.floor(luck.next() * 0.8 * processes * each * order.count)
    await this.#store.prepare(fault)
    const transactions = new Map<number, Transaction>()
    let caused: Promise<void> | null = null
    let answers = 0
    const note = (one: Transaction): void => {
      transactions.set(one.id, one)
      if (one.outcome !== 'unknown') answers++
      if (fault !== null && answers > due) caused ??= this.#cause(fault)
    }
    const runs = Array.from({ length: processes }, async (_, i) => {
      const clients = Array.from({ length: each }, (__, c) => i * each + c)
      await this.#run(i, { ...order, clients }, { note, mayDie: fault === KILL && i === 0 })
    })
    await Promise.all(runs)
    await caused
    const history = {
      transactions: [...transactions.values()],
      final: await this.#readAll(order.place),
    }
    return { fault, history, anomalies: checkHistory(history, this.#store) }
  }

  async close(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.close()))
  }

  async #run(
    i: number,
    order: HistoryOrder,
    options: { note: (one: Transaction) => void; mayDie: boolean },
  ): Promise<void> {
    const writer = (this.#writers[i] ??= this.#store.start())
    try {
      await writer.run(order, options.note)
    } catch (error) {
      if (!options.mayDie) throw error
      // Another process has taken its place, with clients of other names.
      const other = (this.#writers[i] ??= this.#store.start())
      const clients = order.clients.map((client) => client + 500)
      await other.run({ ...order, clients }, options.note)
    }
  }

  async #cause(fault: string): Promise<void> {
    if (fault !== KILL) return this.#store.cause(fault)
    // The writer may have ended its work already. The next run gets another one in any case.
    const [writer] = this.#writers.splice(0, 1, this.#store.start())
    await writer?.kill()
  }

  /** A server may still be starting. */
  async #readAll(place: string): Promise<ListRead[]> {
    for (let tries = 1; ; tries++) {
      const opened = await this.#store.open(place)
      try {
        return await readLists(opened.store)
      } catch (error) {
        if (tries === 200) throw error
        await pause(50)
      } finally {
        await opened.close()
      }
    }
  }
}
