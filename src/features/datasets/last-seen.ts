import type { SightingRecord } from './records.ts'
import type { Records } from '../records.ts'

/** Entries of the log in one read. */
const SLICE = 100
/** Tables kept: those of a million items. */
const KEPT = 1_024

/** What the log of a dataset says after a sequence number. */
export async function readSeenLog(
  records: Records,
  account: string,
  dataset: string,
  after: number,
): Promise<SlotMerges> {
  const merges = new SlotMerges()
  for (let from = after; ;) {
    const found = await records.seenLog.list(account, {
      within: [dataset],
      after: [dataset, from],
      limit: SLICE,
    })
    for (const { value } of found) for (const slot of value.slots) merges.note(slot, value.merge)
    const last = found.at(-1)
    if (!last || found.length < SLICE) return merges
    from = last.value.sequence
  }
}

/** Which merge saw an item last. What is read once is kept: what merges add later may be met or not. */
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

  /** The number of the last merge that saw each item; the sightings must have been read before. */
  async of(sightings: readonly SightingRecord[]): Promise<number[]> {
    // The log goes first: what moves from it into the tables meanwhile is then met twice, not
    // missed.
    const log = (this.#log ??= await readSeenLog(this.#records, this.#account, this.#dataset, 0))
    await this.#learn(sightings)
    return sightings.map(({ merge, slot }) =>
      Math.max(merge, log.of(slot), this.#tables.get(indexOf(slot))?.[slot % TABLE_SLOTS] ?? 0),
    )
  }

  async #learn(sightings: readonly SightingRecord[]): Promise<void> {
    const wanted = [...new Set(sightings.map(({ slot }) => indexOf(slot)))]
    if (this.#tables.size > KEPT) this.#tables.clear()
    const unknown = wanted.filter((index) => !this.#tables.has(index))
    const found = await this.#records.seenTables.getMany(
      this.#account,
      unknown.map((index) => [this.#dataset, index]),
    )
    for (const [i, index] of unknown.entries())
      this.#tables.set(index, found[i]?.value.merges ?? [])
  }
}

function indexOf(slot: number): number {
  return Math.floor(slot / TABLE_SLOTS)
}

/** Slots of one table. */
export const TABLE_SLOTS = 1_024

/**
 * Slot of an item → number of the last merge that saw it: four bytes a slot, in tables of
 * neighbours that are made as they are met.
 */
export class SlotMerges {
  readonly #tables = new Map<number, Uint32Array>()

  /** Numbers of merges only grow. */
  note(slot: number, merge: number): void {
    const index = Math.floor(slot / TABLE_SLOTS)
    let table = this.#tables.get(index)
    if (!table) this.#tables.set(index, (table = new Uint32Array(TABLE_SLOTS)))
    table[slot % TABLE_SLOTS] = Math.max(table[slot % TABLE_SLOTS] ?? 0, merge)
  }

  /** 0: none. */
  of(slot: number): number {
    return this.#tables.get(Math.floor(slot / TABLE_SLOTS))?.[slot % TABLE_SLOTS] ?? 0
  }

  /** Indices of the tables that have anything, upwards from one. */
  tablesFrom(first: number): number[] {
    return [...this.#tables.keys()].filter((index) => index >= first).toSorted((a, b) => a - b)
  }

  /** One table over what was known of it before. */
  table(index: number, known: readonly number[]): number[] {
    const merges = [...known]
    // In order and without holes: a table is some kilobytes of JSON, and there is one for each
    // thousand items.
    this.#tables.get(index)?.forEach((merge, i) => {
      if (i >= merges.length) merges.push(merge)
      else if (merge > (merges[i] ?? 0)) merges[i] = merge
    })
    return merges
  }
}
