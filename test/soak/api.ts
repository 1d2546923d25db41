import { request, Agent } from 'node:http'

/** An answer, or the reason why there was none. */
export interface Answer {
  /** The status; 0 if there was no answer. */
  readonly status: number
  readonly ms: number
  readonly bytes: number
  /** `data` of the envelope, or the whole body. */
  readonly data: unknown
  /** The error's code and message, or why there was no answer. */
  readonly error: string | null
}

/** The differences between a call and a plain GET. */
export interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `false`: the body is counted and dropped. */
  readonly read?: boolean
  readonly timeoutMs?: number
}

/** Calls the API of a server with one key. */
export type Api = (path: string, call?: Call) => Promise<Answer>

/** The pause of the honest tenant after a preview. */
export const PREVIEW_PAUSE_MS = 800
const PATIENCE_MS = 120_000
/** The number of tries of a call on connections that the server closed before it got the call. */
const TRIES = 3

/** Calls a server; never rejects. */
export function createApi(url: string, key: string | null): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  return (
    path,
    { method = 'GET', body, headers = {}, read = true, timeoutMs = PATIENCE_MS } = {},
  ) => {
    const began = performance.now()
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const ask = (tries: number): Promise<Answer> =>
      new Promise((resolve) => {
        const answered = (
          status: number,
          bytes: number,
          data: unknown,
          error: string | null,
        ): void => resolve({ status, ms: performance.now() - began, bytes, data, error })
        const sent = request(`${url}${path}`, {
          method,
          agent,
          timeout: timeoutMs,
          headers: {
            ...(key !== null && { 'x-api-key': key }),
            ...(text !== null && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
            ...headers,
          },
        })
        sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)))
        sent.on('error', (error) => {
          if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && tries > 1)
            resolve(ask(tries - 1))
          else answered(0, 0, null, error.message)
        })
        sent.on('response', (response) => {
          let bytes = 0
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (read) chunks.push(chunk)
          })
          response.on('error', (error) => answered(0, bytes, null, error.message))
          response.on('end', () => {
            const { data, error } = read
              ? opened(Buffer.concat(chunks).toString())
              : { data: null, error: null }
            answered(response.statusCode ?? 0, bytes, data, error)
          })
        })
        sent.end(text ?? undefined)
      })
    return ask(TRIES)
  }
}

function opened(text: string): { readonly data: unknown; readonly error: string | null } {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { data: text, error: null }
  }
  const error = member(body, 'error')
  if (error !== undefined)
    return {
      data: null,
      error: `${textOf(member(error, 'code'))}: ${textOf(member(error, 'message'))}`,
    }
  return { data: member(body, 'data') ?? body, error: null }
}

/** A member of what may be an object. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

/** A text, or nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The items of a list's answer. */
export function itemsOf(data: unknown): readonly unknown[] {
  const items = member(data, 'items')
  return Array.isArray(items) ? items : []
}
