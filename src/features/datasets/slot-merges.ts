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
