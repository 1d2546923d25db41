/** A read of a whole list. */
export interface ListRead {
  readonly key: string
  readonly values: readonly number[]
}

/** One value at the end of a list; no two appends of a history have the same value. */
export interface ListAppend {
  readonly key: string
  readonly value: number
}

/**
 * `ok`: acknowledged. `failed`: it surely wrote nothing, though it has read. `unknown`: its answer
 * was lost, and it may have been written at any later time.
 */
export type Outcome = 'ok' | 'failed' | 'unknown'

/** A transaction: all its reads at one moment, then its appends, at the same moment if it wrote. */
export interface Transaction {
  readonly id: number
  /** Who did it; a process does one after the other. */
  readonly process: string
  readonly outcome: Outcome
  /** By one clock for all processes, in microseconds. */
  readonly invoked: number
  readonly completed: number
  readonly reads: readonly ListRead[]
  readonly appends: readonly ListAppend[]
}

/** All that was done on a store, and all its lists once everything was over. */
export interface History {
  readonly transactions: readonly Transaction[]
  readonly final: readonly ListRead[]
}

/** The promise of the store beyond serializability. */
export interface Promised {
  /**
   * True: a read may show the moment shortly before it was called, but never one before another
   * transaction of the same process.
   */
  readonly staleReads: boolean
}

/** A broken promise, by its name in the literature (Adya; Elle). */
export interface Anomaly {
  readonly kind: string
  readonly text: string
}

/** The transactions that took place: those whose answer was lost do if somebody saw their appends. */
export function effective({ transactions, final }: History): Transaction[] {
  const seen = new Set<string>()
  for (const { reads } of [...transactions, { reads: final }])
    for (const { key, values } of reads) for (const value of values) seen.add(`${key} ${value}`)
  return transactions.flatMap((one) => {
    if (one.outcome === 'ok') return [one]
    if (one.outcome === 'failed') return [{ ...one, appends: [] }]
    const isSeen = one.appends.some(({ key, value }) => seen.has(`${key} ${value}`))
    return isSeen ? [{ ...one, completed: Number.POSITIVE_INFINITY }] : []
  })
}
