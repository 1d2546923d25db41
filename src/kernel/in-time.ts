/** Options of {@link inTime}. */
export interface InTimeOptions {
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> }
  /** Longest time of the work, in ms. */
  readonly ms: number
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
  /** Makes the error for work that takes longer. */
  readonly failure: () => Error
}

/**
 * Does work that gets a signal, and ends with it also if the work ignores it: when the time is
 * over, with the given failure, and when the caller leaves, with the reason of the caller's
 * signal.
 */
export async function inTime<T>(
  { clock, ms, signal, failure }: InTimeOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const late = new AbortController()
  const done = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(either.reason)
  either.addEventListener('abort', leave, { once: true })
  clock.sleep(ms, done.signal).then(
    () => late.abort(failure()),
    () => {},
  )
  try {
    return await Promise.race([work(either), ended])
  } catch (error) {
    either.throwIfAborted()
    throw error
  } finally {
    either.removeEventListener('abort', leave)
    done.abort()
  }
}
