/** How long work may take, and the signal that may end it earlier. */
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
 * Does work under a signal. The signal aborts with the given failure when the time is over, and
 * also when the caller leaves. The work must end when its signal aborts: the function waits for it,
 * so that no work continues unnoticed.
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
 * Like {@link untilLate}, for work that may ignore its signal. It rejects with the signal's reason
 * as soon as the signal aborts.
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
