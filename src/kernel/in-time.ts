/** How long work may take, and who may end it before. */
export interface TimeLimit {
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> }
  /** Longest time of the work, in ms. */
  readonly ms: number
  /** Aborts when the caller leaves. */
  readonly signal?: AbortSignal
  /** Makes the error for work that takes longer. */
  readonly failure: () => Error
}

/**
 * Does work whose signal aborts when the time is over, with the given failure, and when the caller
 * leaves. Waits for the work, so nothing of it goes on unseen: it must end by its signal.
 */
export async function untilLate<T>(
  { clock, ms, signal, failure }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const done = new AbortController()
  clock.sleep(ms, done.signal).then(
    () => late.abort(failure()),
    () => {},
  )
  try {
    return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } finally {
    done.abort()
  }
}

/**
 * Like {@link untilLate}, for work that may ignore its signal: ends with the signal at once, and
 * with its reason.
 */
export async function inTime<T>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  limit.signal?.throwIfAborted()
  return untilLate(limit, async (signal) => {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const leave = (): void => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([work(signal), ended])
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', leave)
    }
  })
}
