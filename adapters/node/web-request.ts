import type { IncomingMessage } from 'node:http'

/**
 * Maximum number of unread bytes of a request that are still read after the answer, so that the
 * connection can be used again.
 */
const DRAIN_BYTES = 1 << 20

/** Thrown for a request that cannot be a web `Request`. The message may be shown to the client. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
}

/**
 * The web `Request` of a node:http request. The path is `req.url`: below a mount point of Express,
 * what remains after it. `withBody` is false if the body is read in another way.
 *
 * @throws {InvalidRequest} if the request has no valid address, or a method that the web does not
 *   allow (`TRACE`).
 * @throws {Error} if a body parser has already read the body.
 */
export function toWebRequest(req: IncomingMessage, signal: AbortSignal, withBody = true): Request {
  const method = req.method ?? 'GET'
  const bodiless = !withBody || method === 'GET' || method === 'HEAD' || !hasBody(req)
  if (!bodiless && req.readableDidRead)
    throw new Error(
      'The body of the request was already read: mount this handler before any body parser, such as express.json()',
    )
  const url = addressOf(req)
  try {
    const init: RequestInit = { method, headers: headersOf(req), signal }
    if (bodiless) return new Request(url, init)
    const streamed: RequestInit & { duplex: 'half' } = {
      ...init,
      body: bodyOf(req),
      duplex: 'half',
    }
    return new Request(url, streamed)
  } catch (error) {
    throw new InvalidRequest('The request is not valid', { cause: error })
  }
}

/** Reads the rest of a request, up to a limit. If the client sends more, the connection is closed. */
export function drain(req: IncomingMessage): void {
  let left = DRAIN_BYTES
  req.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.resume()
}

function addressOf(req: IncomingMessage): string {
  const target = req.url ?? '/'
  const origin = originOf(req)
  if (target === '*') return `${origin}/`
  // Joined as text, because a path such as `//host/path`, resolved as a relative reference, would
  // change the host.
  if (target.startsWith('/')) return origin + target
  // Absolute form (RFC 9112, 3.2.2): proxies send it, and servers must accept it.
  if (!/^https?:\/\//i.test(target))
    throw new InvalidRequest('The request is not for http: or https:')
  return target
}

/**
 * @throws {InvalidRequest} for an invalid host, and for more than one `Host` line (RFC 9112, 3.2):
 *   proxies may have read the other one.
 */
function originOf(req: IncomingMessage): string {
  const host = req.headers[':authority'] ?? req.headers.host ?? 'localhost'
  if (typeof host !== 'string' || !/^[\w.:[\]-]+$/.test(host))
    throw new InvalidRequest('The request names no valid host')
  if (countHosts(req.rawHeaders) > 1)
    throw new InvalidRequest('The request names its host more than once')
  return `${isSecure(req) ? 'https' : 'http'}://${host}`
}

function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
}

/** True if the request came over TLS. In Bun every socket has the property, even if it is false. */
export function isSecure({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket && socket.encrypted === true
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // HTTP/2 pseudo headers are not headers.
    if (!name.startsWith(':')) headers.append(name, rawHeaders[i + 1] ?? '')
  }
  return headers
}

function hasBody(req: IncomingMessage): boolean {
  const { headers } = req
  // HTTP/2 has no transfer coding and may omit the length, so a body is any data after the headers.
  if (
    'stream' in req &&
    typeof req.stream === 'object' &&
    req.stream !== null &&
    'endAfterHeaders' in req.stream
  )
    return req.stream.endAfterHeaders === false
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  )
}

/** The body in parts as it arrives. Reading it sets the pace of the client. */
export function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Not destroyed if the reader stops early, because the answer, such as a 413, must still leave on
  // the same socket.
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = req.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const chunk = await chunks.next()
        if (chunk.done) controller.close()
        else controller.enqueue(chunk.value)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
