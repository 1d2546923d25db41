import type { Clock, RandomBytes } from '../ports/clock.ts'

/** Timers take at most 2^31 - 1 ms; a longer sleep takes several. */
const LONGEST_TIMER = 2 ** 31 - 1
/** Time in ms by which timers may be early, because they round differently from the clock. */
const MOST_EARLY = 2
/** `getRandomValues` gives at most 65,536 bytes a call (Web Cryptography, 10.1.1). */
const MOST_RANDOM = 65_536

/** The machine's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    const end = Date.now() + ms
    for (let rest = ms; ; rest -= LONGEST_TIMER) {
      await timer(Math.min(Math.max(rest, 0), LONGEST_TIMER), signal)
      if (rest <= LONGEST_TIMER) break
    }
    // When the sleep ends, the clock must show that the time is over. If more time is missing, the
    // clock was set back, and the sleep ends nevertheless.
    for (let early = end - Date.now(); early > 0 && early <= MOST_EARLY; early = end - Date.now())
      await timer(early, signal)
  },
}

/** Cryptographic randomness of the runtime. */
export const cryptoRandom: RandomBytes = (length) => {
  const bytes = new Uint8Array(length)
  for (let position = 0; position < length; position += MOST_RANDOM)
    crypto.getRandomValues(bytes.subarray(position, position + MOST_RANDOM))
  return bytes
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      clearTimeout(id)
      reject(signal?.reason)
    }
    const id = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
