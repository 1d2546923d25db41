import type { ClientClock } from './options.ts'

// The client's defaults from its runtime. The client runs at the caller and reaches only the
// service, so the platform's egress and clock do not apply.

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
