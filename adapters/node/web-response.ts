import type { ServerResponse } from 'node:http'
import type { Reply } from '../../src/kernel/http/message.ts'

/**
 * Writes a web `Response`, no faster than the client takes it. A body that fails half-way destroys
 * the connection, so that the client does not mistake a part for the whole. A client that leaves
 * cancels the body.
 *
 * A stream of events ends when `closing` aborts.
 *
 * @throws the error of the body
 */
export async function sendWebResponse(
  res: ServerResponse,
  response: Response,
  withoutBody: boolean,
  closing?: AbortSignal,
): Promise<void> {
  const { body, status } = response
  if (res.destroyed) return void (await body?.cancel())
  res.writeHead(status, rawHeaders(response.headers))
  if (body === null || withoutBody || status === 204 || status === 304) {
    res.end()
    await body?.cancel()
    return
  }
  const reader = body.getReader()
  // A body may fail while the client reads nothing. The read that reports this must not wait for
  // the client.
  let goOn = (): void => {}
  reader.closed.catch(() => goOn())
  const onClose = () =>
    void reader
      .cancel(new DOMException('The client disconnected', 'AbortError'))
      .catch(() => undefined)
  res.once('close', onClose)
  const ending = closing && isEventStream(response) ? closing : null
  // Reading then ends as at the end of the body.
  const onClosing = () => void reader.cancel(ending?.reason).catch(() => undefined)
  ending?.addEventListener('abort', onClosing)
  if (ending?.aborted) onClosing()
  // Data that is ready in this turn of the event loop leaves in one packet. Later data, such as the
  // first server-sent event, must not delay the headers.
  res.cork()
  let isCorked = true
  const uncork = (): void => {
    if (isCorked) res.uncork()
    isCorked = false
  }
  const flush = setImmediate(() => {
    uncork()
    res.flushHeaders()
  })
  try {
    for (let part = await reader.read(); !part.done && !res.destroyed; part = await reader.read()) {
      if (!res.write(part.value)) await drained(res, (done) => (goOn = done))
    }
    // Node would send the end of a chunked body before the chunks that it still holds back.
    uncork()
    // If its connection were kept alive, a closing server would have to wait for it.
    const leaving = closing?.aborted ? res.socket : null
    res.end(() => leaving?.end())
  } catch (error) {
    res.destroy()
    throw error
  } finally {
    clearImmediate(flush)
    res.off('close', onClose)
    ending?.removeEventListener('abort', onClosing)
  }
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

/** Writes an answer whose body is a text: its length is known, and all of it leaves in one packet. */
export function sendReply(res: ServerResponse, { status, headers, body }: Reply): void {
  if (res.destroyed) return
  const raw: string[] = []
  for (const name in headers) raw.push(name, headers[name] ?? '')
  if (body === null) return void res.writeHead(status, raw).end()
  const length = Buffer.byteLength(body)
  raw.push('Content-Length', String(length))
  // A text of ASCII alone is the same bytes in Latin-1, which Node copies instead of encoding it.
  res.writeHead(status, raw).end(body, length === body.length ? 'latin1' : 'utf8')
}

// Iterating Headers returns each Set-Cookie separately, which an object of headers could not
// contain.
function rawHeaders(headers: Headers): string[] {
  const raw: string[] = []
  for (const [name, value] of headers) raw.push(name, value)
  return raw
}

/**
 * Resolves when the client has taken the written data or disconnected, or when the function given
 * to `onWait` is called.
 */
function drained(res: ServerResponse, onWait: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
    onWait(done)
  })
}
