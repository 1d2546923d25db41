import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../src/kernel/errors.ts'

type Refusal = readonly [status: string, message: string, code?: ErrorCode]

/** Refusals of Node's parser that have a status of their own; any other is 400. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    '413 Payload Too Large',
    'The extensions of a chunk are too long',
    'PAYLOAD_TOO_LARGE',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
const UNREADABLE: Refusal = ['400 Bad Request', 'The request is not valid HTTP']

/**
 * Answers requests that Node cannot read with the error envelope and a request id. By itself Node
 * sends a status without a body. No other header is sent, because the route is not known.
 */
export function refuseUnreadable(server: Server): void {
  server.on('clientError', (error: Error, socket: Duplex) => {
    const cause = 'code' in error ? String(error.code) : ''
    // The client has left, or the connection already has answers. One may be in progress, and this
    // must not become a part of it.
    const hasAnswered = 'bytesWritten' in socket && socket.bytesWritten !== 0
    if (cause === 'ECONNRESET' || !socket.writable || hasAnswered) {
      socket.destroy()
      return
    }
    const [status, message, code = 'BAD_REQUEST'] = REFUSALS[cause] ?? UNREADABLE
    const body = JSON.stringify({ success: false, error: { code, message } })
    socket.end(
      [
        `HTTP/1.1 ${status}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        `X-Request-Id: req_${randomUUID()}`,
        '',
        body,
      ].join('\r\n'),
    )
  })
}
