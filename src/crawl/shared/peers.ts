import type { WorkerPlace } from '../visit/capacity.ts'

/** Tasks that a helper may have for each that it does: the others bridge the way through the store. */
export const AHEAD = 3

/** A process of a coordinator, as the holder of the fence sees it. */
export interface Peer extends WorkerPlace {
  /** `null`: the holder itself. */
  readonly hand: string | null
  /** Number of the next assignment. */
  given: number
  /** Number of the next report. */
  read: number
}

/** A process that has nothing to do yet. */
export function createPeer(membership: string | null, given = 0): Peer {
  return {
    hand: membership,
    ahead: membership === null ? 1 : AHEAD,
    out: 0,
    hosts: 0,
    lanes: 0,
    given,
    read: 0,
  }
}

/** Which executions this process works on, so that it is not its own helper. */
export class LocalRuns {
  readonly #leading = new Set<string>()
  readonly #helping = new Map<string, AbortController>()

  /**
   * The process writes an execution now; where it was a helper, that ends. The answer says that it
   * does no more.
   */
  lead(execution: string): () => void {
    this.#leading.add(execution)
    this.#helping.get(execution)?.abort()
    return () => this.#leading.delete(execution)
  }

  /**
   * The process helps with an execution until `leave`, or until the signal says that it leads it
   * now; `null`: it works on it already.
   */
  help(execution: string): { readonly signal: AbortSignal; leave(): void } | null {
    if (this.#leading.has(execution) || this.#helping.has(execution)) return null
    const stop = new AbortController()
    this.#helping.set(execution, stop)
    return { signal: stop.signal, leave: () => void this.#helping.delete(execution) }
  }
}
