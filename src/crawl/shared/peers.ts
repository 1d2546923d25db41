/** Number of assignments per assignment in progress. The extra ones cover the delay of the store. */
export const AHEAD = 3

/** A process that works on a run, as the holder of the fence sees it. */
export interface Peer {
  /** `null`: the holder itself. */
  readonly membership: string | null
  /** Number of assignments per assignment in progress, so that the next one is ready when one ends. */
  readonly ahead: number
  /** Assignments given to it. */
  out: number
  /** Hosts of those assignments. */
  hosts: number
  /** Its concurrency tokens, see `ConcurrencyTokens`. */
  tokens: number
  /** Number of the next assignment. */
  nextNumber: number
  /** Number of the next report. */
  nextReport: number
}

/** Creates a peer without assignments. */
export function createPeer(membership: string | null, nextNumber = 0): Peer {
  return {
    membership,
    ahead: membership === null ? 1 : AHEAD,
    out: 0,
    hosts: 0,
    tokens: 0,
    nextNumber,
    nextReport: 0,
  }
}

/** The executions that this process works on. They keep it from being its own helper. */
export class LocalRuns {
  readonly #held = new Set<string>()
  readonly #helping = new Map<string, AbortController>()

  /**
   * Records that this process holds an execution, and ends its help with it. Call the returned
   * function when the process no longer holds it.
   */
  hold(execution: string): () => void {
    this.#held.add(execution)
    this.#helping.get(execution)?.abort()
    return () => this.#held.delete(execution)
  }

  /**
   * Records that this process helps with an execution, until `leave`. The signal aborts when the
   * process becomes its holder. Returns `null` if the process already works on it.
   */
  help(execution: string): { readonly signal: AbortSignal; leave(): void } | null {
    if (this.#held.has(execution) || this.#helping.has(execution)) return null
    const stop = new AbortController()
    this.#helping.set(execution, stop)
    return { signal: stop.signal, leave: () => void this.#helping.delete(execution) }
  }
}
