/** Time, injected so that a whole run can be replayed. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /**
   * Resolves after `ms`, by `now` too, which timers of their own may not keep to; rejects with the
   * signal's reason when it aborts first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Fills an array with random bytes; cryptographic in production. */
export type RandomBytes = (length: number) => Uint8Array
