import { SeineError } from './error.ts'
import type { CallOptions, ClientOptions, Credential } from './options.ts'
import { readError } from './read-error.ts'
import { retryDelay } from './retry-delay.ts'
import { webClock, webFetch, webRandom } from './web-defaults.ts'

/** One call, with all its tries. */
interface Outgoing extends CallOptions {
  readonly method: string
  /** The path below that of the API, with its query. */
  readonly path: string
  /** JSON; absent: no body. */
  readonly body?: string
  /** Entity tag for `If-Match`. */
  readonly tag?: string
}

/**
 * Sends a call and reads its answer. An answer that breaks off counts as a network error.
 *
 * @throws {SeineError}
 */
export type Send = <T>(call: Outgoing, read: (response: Response) => Promise<T>) => Promise<T>

type Outcome<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: SeineError; readonly value?: undefined }

/**
 * Sends calls to the service, with retries. A write has the same `Idempotency-Key` on each try, so
 * it has its effect once.
 */
export function createSend(options: ClientOptions): Send {
  const { clock = webClock, random = webRandom, retries = 3 } = options
  const transmit = options.fetch ?? webFetch
  const base = `${String(options.baseUrl).replace(/(?<!\/)\/+$/, '')}/api/v1`
  const credential = credentialOf(options)
  const newKey = (): string =>
    Array.from(random(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const chance = (): number => {
    const [high = 0, low = 0] = random(2)
    return (high * 256 + low) / 65_536
  }

  return async <T>(call: Outgoing, read: (response: Response) => Promise<T>) => {
    const { method, path, body, tag, signal } = call
    const headers = new Headers()
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (method !== 'GET') headers.set('Idempotency-Key', call.idempotencyKey ?? newKey())
    if (tag !== undefined) headers.set('If-Match', tag)

    const attempt = async (): Promise<Outcome<T>> => {
      const header = await credential()
      if (header) headers.set(...header)
      // Redirects are never followed, because the credential would be sent to their target.
      const request = new Request(base + path, {
        method,
        headers,
        body: body ?? null,
        signal: signal ?? null,
        redirect: 'manual',
      })
      let response: Response
      try {
        response = await transmit(request)
        if (response.ok) return { value: await read(response) }
      } catch (cause) {
        return {
          error:
            cause instanceof SeineError
              ? cause
              : new SeineError('NETWORK_ERROR', 'The service did not respond', { cause }),
        }
      }
      return { error: await readError(response, clock.now()) }
    }

    for (let tried = 0; ; tried++) {
      const { value, error } = await abortable(attempt, signal)
      // An aborted request may reject with another error than the signal's reason.
      signal?.throwIfAborted()
      if (error === undefined) return value
      const delay = tried < retries ? retryDelay(error, tried, chance()) : null
      if (delay === null) throw error
      await clock.sleep(delay, signal)
    }
  }
}

/**
 * Returns the header of the credential in the options.
 *
 * @throws {TypeError} for two of them, which the service refuses
 */
function credentialOf({ apiKey, token }: ClientOptions): () => Promise<[string, string] | null> {
  if (apiKey !== undefined && token !== undefined)
    throw new TypeError('Pass an apiKey or a token, not both')
  const secretOf = async (credential: Credential) =>
    typeof credential === 'string' ? credential : credential()
  return async () => {
    if (apiKey !== undefined) return ['X-API-Key', await secretOf(apiKey)]
    return token === undefined ? null : ['Authorization', `Bearer ${await secretOf(token)}`]
  }
}

/**
 * The outcome of some work. If the signal aborts first, it rejects with the signal's reason, even
 * if the work ignores the signal.
 */
function abortable<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
