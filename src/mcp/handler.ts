import { refuseOrigin } from './guard-origin.ts'
import type { OriginRules } from './guard-origin.ts'
import { readMessage } from './read-message.ts'
import { createToolService } from './tool-service.ts'
import type { Credential } from './tool-service.ts'

/** Options of {@link createMcpHandler}. */
export interface McpHandlerOptions extends OriginRules {
  /** Where the Task Service is, without `/api/v1`: `https://api.example.com`. */
  readonly baseUrl: string
  /** How to reach it: the runtime's `fetch`, or `platform.fetch` in one process. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Largest body in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Told of failures that the client only sees as an opaque error; default: nobody. */
  readonly onError?: (error: unknown) => void
}

/** Answers one request to the MCP endpoint, whatever its path; never rejects. */
export type McpHandler = (request: Request) => Promise<Response>

const MAX_BODY_BYTES = 1_048_576
const CREDENTIALS = ['authorization', 'x-api-key']

/**
 * The MCP endpoint: Streamable HTTP without sessions, JSON answers, six tools. Each call goes to the Task Service at `baseUrl` with the
 * caller's own credential, so that this handler can be deployed apart. The SDK is loaded with the first call.
 *
 * A request is refused in this order: `Host` and `Origin` (403), method (405), credential (401), body (400, 413).
 *
 * @example
 * const mcp = createMcpHandler({ baseUrl: 'https://api.example.com', fetch, hosts: ['mcp.example.com'] })
 * const response = await mcp(new Request('https://mcp.example.com/mcp'))
 * console.log(response.status) // 405: this server begins no streams
 */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const { maxBodyBytes = MAX_BODY_BYTES, onError = () => {} } = options
  const service = createToolService({ baseUrl: options.baseUrl, send: options.fetch })
  const handle = async (request: Request): Promise<Response> => {
    const foreign = refuseOrigin(request, options)
    if (foreign !== null) return Response.json({ success: false, error: { code: 'FORBIDDEN', message: foreign } }, { status: 403 })
    if (request.method !== 'POST') return refuse(405, -32_000, 'Method not allowed: POST messages here', { Allow: 'POST' })
    const credential = credentialOf(request.headers)
    if (Object.keys(credential).length === 0) return unauthorized('Bearer')
    const read = await readMessage(request, maxBodyBytes)
    if ('status' in read) return refuse(read.status, read.code, read.reason)
    // Calls and lists ask the service themselves; what does not is asked for here.
    if (!asksService(read.message)) {
      const { status, headers } = await service.list(credential, request.signal)
      if (status === 401 || status === 403) return unauthorized(headers.get('www-authenticate') ?? 'Bearer', status)
      if (status === 429) return refuse(429, -32_000, 'Too many requests', { 'Retry-After': headers.get('retry-after') ?? '60' })
    }
    const { answer } = await import('./answer.ts')
    return answer(request, read.message, { service, credential, onError })
  }
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      onError(error)
      return refuse(500, -32_603, 'Something went wrong on our side')
    }
  }
}

/** Whether answering a message needs the service, which then sees the credential. */
function asksService(message: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message]
  return all.some((one) => typeof one === 'object' && one !== null && 'method' in one && (one.method === 'tools/call' || one.method === 'tools/list'))
}

function credentialOf(headers: Headers): Credential {
  return Object.fromEntries(CREDENTIALS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  }))
}

function unauthorized(challenge: string, status: 401 | 403 = 401): Response {
  return refuse(status, -32_000, status === 401 ? 'A valid credential is required' : 'The credential has none of the scopes of this endpoint', { 'WWW-Authenticate': challenge })
}

function refuse(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers })
}
