import type { IncomingMessage } from 'node:http'
import type { LazyRequest, RequestHeaders } from '../../src/kernel/http/message.ts'
import type { ClientWatch } from './client-watch.ts'
import { bodyOf, isSecure, toWebRequest } from './web-request.ts'

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])
/** Matches a path and query that the URL parser does not change, if they have no dot segments. */
const PLAIN_TARGET = /^\/[\w\-.~!$&'()*+,;=:@%/]*(?:\?[\w\-.~!$&()*+,;=:@%/?]*)?$/
const DOT_SEGMENT = /\/(?:\.|%2e)/i
const HOST = /^[\w.:[\]-]+$/
const MOST_ORIGINS = 100
const NOTHING = new Uint8Array(0)

/** `Host` → origin, for the few host names under which a server is called. */
const origins = new Map<string, string>()

/** Reads headers from the list of node:http (name and value in turn), as `Headers` would give them. */
export class NodeHeaders implements RequestHeaders {
  readonly #raw: readonly string[]

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const lowerName = name.toLowerCase()
    let values: string | null = null
    for (let i = 0; i < this.#raw.length; i += 2) {
      const own = this.#raw[i]
      // Most names have another length, so few are compared.
      if (own === undefined || own.length !== lowerName.length || own.toLowerCase() !== lowerName)
        continue
      const value = this.#raw[i + 1] ?? ''
      values = values === null ? value : `${values}${lowerName === 'cookie' ? '; ' : ', '}${value}`
    }
    return values
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }
}

/** A request of node:http that becomes a web `Request` only on demand. */
export class NodeRequest implements LazyRequest {
  readonly method: string
  readonly url: string
  readonly headers: NodeHeaders
  readonly #req: IncomingMessage
  readonly #client: Pick<ClientWatch, 'signal' | 'begin' | 'whenLeft'>
  readonly #hasBody: boolean
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | null = null
  #isRead = false
  #request: Request | null = null

  /**
   * `null` for an unusual request, which `toWebRequest` judges. The client is watched at once if
   * there is a body, or else when the signal is first read.
   */
  static of(
    req: IncomingMessage,
    client: Pick<ClientWatch, 'signal' | 'begin' | 'whenLeft'>,
  ): NodeRequest | null {
    const { method = '', url = '', rawHeaders } = req
    if (
      req.httpVersionMajor > 1 ||
      !METHODS.has(method) ||
      !PLAIN_TARGET.test(url) ||
      DOT_SEGMENT.test(url) ||
      isSecure(req)
    )
      return null
    const headers = new NodeHeaders(rawHeaders)
    const origin = originOf(headers.get('host'))
    if (origin === null) return null
    const hasBody =
      headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0'
    if (hasBody) {
      if (method === 'GET' || method === 'HEAD' || req.readableDidRead) return null
      client.begin()
    }
    return new NodeRequest(req, client, method, origin + url, headers, hasBody)
  }

  private constructor(
    req: IncomingMessage,
    client: Pick<ClientWatch, 'signal' | 'begin' | 'whenLeft'>,
    method: string,
    url: string,
    headers: NodeHeaders,
    hasBody: boolean,
  ) {
    this.#req = req
    this.#client = client
    this.#hasBody = hasBody
    this.method = method
    this.url = url
    this.headers = headers
  }

  get signal(): AbortSignal {
    return this.#client.signal
  }

  whenLeft(leave: () => void): void {
    this.#client.whenLeft(leave)
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#request) return this.#request.body
    return this.#hasBody && !this.#isRead ? (this.#body ??= bodyOf(this.#req)) : null
  }

  async readAll(maxBytes: number): Promise<Uint8Array | null> {
    if (!this.#hasBody) return NOTHING
    this.#isRead = true
    return readAll(this.#req, maxBytes)
  }

  toRequest(): Request {
    return (this.#request ??= toWebRequest(
      this.#req,
      this.#client.signal,
      this.#body === null && !this.#isRead,
    ))
  }
}

function originOf(host: string | null): string | null {
  if (host === null) return null
  const cached = origins.get(host)
  if (cached !== undefined) return cached
  const origin = HOST.test(host) ? URL.parse(`http://${host}`)?.origin : undefined
  if (origin === undefined) return null
  // The cache is cleared when it is full, because anyone can send any name.
  if (origins.size === MOST_ORIGINS) origins.clear()
  origins.set(host, origin)
  return origin
}

/**
 * Reads the whole body; `null` once it exceeds `maxBytes`. The caller must then drain the rest.
 *
 * @throws the error that cut the body off
 */
function readAll(req: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  // Most bodies have already arrived in full, so they need no listeners.
  const whole: unknown = req.complete && req.readableFlowing === null ? req.read() : null
  if (whole instanceof Uint8Array) return Promise.resolve(whole.length > maxBytes ? null : whole)
  // Nobody would be notified any more.
  if (req.closed) return Promise.reject(leftEarly())
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const leave = (): void =>
      void req.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      leave()
      req.pause()
      resolve(null)
    }
    const onEnd = (): void => {
      leave()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
    }
    const onError = (error: Error): void => {
      leave()
      reject(error)
    }
    const onClose = (): void => onError(leftEarly())
    req.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

function leftEarly(): Error {
  return new Error('The client disconnected before its request was complete')
}
