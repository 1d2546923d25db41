import type { LabelCounts, ProgressRecord } from '../records/types.ts'
import type { PageOutcome } from './outcome.ts'

type Mutable = { -readonly [name in keyof LabelCounts]: LabelCounts[name] }

/** Counts pages by their labels, starting from committed counters. */
export class LabelTally {
  /** A map, as a label may be named like a property that every object inherits. */
  readonly #counts: Map<string, Mutable>

  constructor(before: ProgressRecord['labels'] = {}) {
    this.#counts = new Map(Object.entries(before).map(([label, counts]) => [label, { ...counts }]))
  }

  /** `hop`: pages of a pagination so far, this one included. */
  found(label: string, hop: number): void {
    const counts = this.#of(label)
    counts.found++
    if (hop > 1) counts.next++
  }

  settled({ entry, outcome, extracted }: PageOutcome, rows: number): void {
    const counts = this.#of(entry.label)
    counts.settled++
    if (outcome === 'fetched' || outcome === 'unchanged') counts.fetched++
    if (extracted) counts.extracted++
    counts.rows += rows
  }

  toRecord(): Readonly<Record<string, LabelCounts>> {
    return Object.fromEntries(this.#counts)
  }

  #of(label: string): Mutable {
    let counts = this.#counts.get(label)
    if (!counts)
      this.#counts.set(
        label,
        (counts = { found: 0, next: 0, settled: 0, fetched: 0, extracted: 0, rows: 0 }),
      )
    return counts
  }
}
