/** Time, injected so that a whole run can be replayed. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /**
   * Resolves after `ms`, also as measured by `now`: a runtime's timers may differ from it. Rejects
   * with the signal's reason if it aborts first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Fills an array with random bytes; cryptographic in production. */
export type RandomBytes = (length: number) => Uint8Array
