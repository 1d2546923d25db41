import type { ClientClock } from './options.ts'

// What the client takes from its runtime unless it is given something else. It runs at the caller's
// and reaches the service alone, so that neither the platform's egress nor its clock is in its way.

/** The runtime's `fetch`, looked up when it is called. */
export const webFetch = (request: Request): Promise<Response> => fetch(request)

/** The runtime's clock and timers. */
export const webClock: ClientClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

/** Not `crypto.randomUUID`, which pages without TLS do not have. */
export const webRandom = (length: number): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(length))
