import type { SightingRecord } from './records.ts'
import type { Records } from '../records.ts'

/** Log entries in one read. */
const SLICE = 100
/** Number of tables in memory: enough for a million items. */
const KEPT = 1_024

/** Reads the entries of a dataset's log after a sequence number. */
export async function readSeenLog(
  records: Records,
  account: string,
  dataset: string,
  after: number,
): Promise<SlotMerges> {
  const merges = new SlotMerges()
  for (let from = after; ;) {
    const stored = await records.seenLog.list(account, {
      within: [dataset],
      after: [dataset, from],
      limit: SLICE,
    })
    for (const { value } of stored) for (const slot of value.slots) merges.note(slot, value.merge)
    const last = stored.at(-1)
    if (!last || stored.length < SLICE) return merges
    from = last.value.sequence
  }
}

/**
 * Finds the merge that last saw an item. Data that was read is cached, so sightings that a merge
 * adds later may or may not be included.
 */
export class LastSeen {
  readonly #records: Records
  readonly #account: string
  readonly #dataset: string
  readonly #tables = new Map<number, readonly number[]>()
  #log: SlotMerges | null = null

  constructor(records: Records, account: string, dataset: string) {
    this.#records = records
    this.#account = account
    this.#dataset = dataset
  }

  /**
   * Returns the number of the last merge that saw each item. The sightings must be read before this
   * call.
   */
  async of(sightings: readonly SightingRecord[]): Promise<number[]> {
    // The log is read first. If an entry moves from the log into the tables between the reads, it
    // is read twice and never missed.
    const log = (this.#log ??= await readSeenLog(this.#records, this.#account, this.#dataset, 0))
    await this.#learn(sightings)
    return sightings.map(({ merge, slot }) =>
      Math.max(merge, log.of(slot), this.#tables.get(indexOf(slot))?.[slot % TABLE_SLOTS] ?? 0),
    )
  }

  async #learn(sightings: readonly SightingRecord[]): Promise<void> {
    const indexes = [...new Set(sightings.map(({ slot }) => indexOf(slot)))]
    if (this.#tables.size > KEPT) this.#tables.clear()
    const unknown = indexes.filter((index) => !this.#tables.has(index))
    const stored = await this.#records.seenTables.getMany(
      this.#account,
      unknown.map((index) => [this.#dataset, index]),
    )
    for (const [i, index] of unknown.entries())
      this.#tables.set(index, stored[i]?.value.merges ?? [])
  }
}

function indexOf(slot: number): number {
  return Math.floor(slot / TABLE_SLOTS)
}

/** Slots of one table. */
export const TABLE_SLOTS = 1_024

/**
 * Maps an item's slot to the number of the last merge that saw it. It uses four bytes for each
 * slot. Neighbouring slots share a table, which is created when it is first needed.
 */
export class SlotMerges {
  readonly #tables = new Map<number, Uint32Array>()

  /** Records that a merge saw a slot. Numbers of merges only grow. */
  note(slot: number, merge: number): void {
    const index = Math.floor(slot / TABLE_SLOTS)
    let table = this.#tables.get(index)
    if (!table) this.#tables.set(index, (table = new Uint32Array(TABLE_SLOTS)))
    table[slot % TABLE_SLOTS] = Math.max(table[slot % TABLE_SLOTS] ?? 0, merge)
  }

  /** The number of the last merge that saw a slot. 0: none. */
  of(slot: number): number {
    return this.#tables.get(Math.floor(slot / TABLE_SLOTS))?.[slot % TABLE_SLOTS] ?? 0
  }

  /** Indices of the non-empty tables from `first` on, ascending. */
  tablesFrom(first: number): number[] {
    return [...this.#tables.keys()].filter((index) => index >= first).toSorted((a, b) => a - b)
  }

  /** Merges one table into the numbers in memory. */
  table(index: number, stored: readonly number[]): number[] {
    const merges = [...stored]
    // The numbers are a plain list in the order of slots, which keeps a table at some kilobytes of
    // JSON. There is one table for each thousand items.
    this.#tables.get(index)?.forEach((merge, i) => {
      if (i >= merges.length) merges.push(merge)
      else if (merge > (merges[i] ?? 0)) merges[i] = merge
    })
    return merges
  }
}
