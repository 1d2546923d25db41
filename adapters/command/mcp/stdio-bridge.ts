import { readEvents } from '../../../src/kernel/http/event-reader.ts'
import { EVENT_STREAM } from '../../../src/kernel/http/event-stream.ts'
import { isObject } from '../../../src/kernel/json.ts'

/** Sends one message to an MCP endpoint. */
export type PostMessage = (message: {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}) => Promise<Response>

/** Options of {@link bridge}. */
export interface BridgeOptions {
  /** Lines of the client, each a message. The iteration ends when the client closes its end. */
  readonly lines: AsyncIterable<string>
  readonly post: PostMessage
  /** Writes one line, without its line end. */
  readonly write: (line: string) => void
  /** Shows messages to people that cannot be sent to the client. */
  readonly warn: (text: string) => void
  /** Ends everything at once. */
  readonly signal: AbortSignal
  /** Resolves when the calls that still run after the last line are given up. */
  readonly patience: () => Promise<unknown>
}

/** Maximum number of concurrent calls. More are refused, because each holds a connection. */
const MOST_AT_ONCE = 64
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
/** The member of a message that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

type Id = string | number

/** The negotiated protocol version. `null`: there is none yet, or the era has no handshake. */
interface Agreed {
  version: string | null
}

/**
 * Passes messages between a client on stdin and stdout and an endpoint on HTTP. It does not
 * interpret tools, so it works for both eras of the protocol. A request has exactly one answer,
 * unless the client cancels it. Resolves when the client has closed its end and all calls are over.
 */
export async function bridge(options: BridgeOptions): Promise<void> {
  const { lines, write, warn, signal, patience } = options
  const running = new Map<Promise<void>, { readonly ids: readonly Id[]; stop: AbortController }>()
  const agreed: Agreed = { version: null }
  const stopAll = (): void => {
    for (const { stop } of running.values()) stop.abort()
  }
  signal.addEventListener('abort', stopAll, { once: true })
  for await (const line of lines) {
    if (signal.aborted) break
    if (line.trim() === '') continue
    const message = parsed(line)
    if (message === undefined) {
      write(errorLine(null, -32_700, 'Parse error: a line must be one message of JSON-RPC'))
      continue
    }
    const cancelled = cancelledBy(message)
    for (const call of running.values())
      if (cancelled !== null && call.ids.includes(cancelled)) call.stop.abort()
    const ids = idsOf(message)
    if (running.size >= MOST_AT_ONCE && ids.length > 0) {
      for (const id of ids)
        write(errorLine(id, -32_000, `More than ${MOST_AT_ONCE} calls at once. Try again later.`))
      continue
    }
    const stop = new AbortController()
    const call = carry(message, line, ids, stop.signal, options, agreed).catch((error: unknown) => {
      if (stop.signal.aborted) return
      const reason = reasonOf(error)
      warn(reason)
      for (const id of ids) write(errorLine(id, -32_603, reason))
    })
    running.set(call, { ids, stop })
    void call.then(() => running.delete(call))
  }
  if (running.size > 0 && !signal.aborted)
    await Promise.race([
      Promise.all(running.keys()),
      patience(),
      new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      ),
    ])
  stopAll()
  await Promise.all(running.keys())
  signal.removeEventListener('abort', stopAll)
}

/** Sends one message, and writes the answer. */
async function carry(
  message: unknown,
  line: string,
  ids: readonly Id[],
  signal: AbortSignal,
  { post, write, warn }: BridgeOptions,
  agreed: Agreed,
): Promise<void> {
  const response = await post({
    body: line,
    headers: {
      'content-type': 'application/json',
      accept: `application/json, ${EVENT_STREAM}`,
      ...headersOf(message, agreed),
    },
    signal,
  })
  const missing = new Set(ids)
  const pass = (text: string): void => {
    const answer = parsed(text)
    if (!isObject(answer) && !Array.isArray(answer)) return
    const whole = withId(answer, ids)
    if (whole === null) return warn(messageIn(answer))
    for (const part of Array.isArray(whole) ? whole : [whole])
      if (isObject(part) && !('method' in part) && isId(part['id'])) missing.delete(part['id'])
    const version = methodOf(message) === 'initialize' ? versionIn(whole) : null
    agreed.version = version ?? agreed.version
    if (!signal.aborted) write(JSON.stringify(whole))
  }
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) && response.body) {
    for await (const { event, data } of readEvents(response.body))
      if (event !== null && data !== '') pass(data)
  } else {
    const text = await response.text()
    if (text !== '') pass(text)
  }
  if (signal.aborted) return
  // A client without an answer would wait until it gives up.
  for (const id of missing)
    write(errorLine(id, -32_603, `The server answered ${response.status}; is it Seine's address?`))
}

function methodOf(message: unknown): unknown {
  return isObject(message) ? message['method'] : undefined
}

/** The version of the protocol that an answer to `initialize` has chosen. */
function versionIn(answer: object): string | null {
  const result = 'result' in answer ? answer.result : null
  const version = isObject(result) ? result['protocolVersion'] : null
  return typeof version === 'string' ? version : null
}

/**
 * The negotiated version, which HTTP requires in each request. In the era without handshake: the
 * values of the body that headers repeat.
 */
function headersOf(message: unknown, agreed: Agreed): Record<string, string> {
  const headers: Record<string, string> =
    agreed.version === null ? {} : { 'mcp-protocol-version': headerText(agreed.version) }
  if (!isObject(message) || !isObject(message['params'])) return headers
  const { method, params } = message
  const version = isObject(params['_meta']) ? params['_meta'][VERSION_KEY] : undefined
  if (typeof version !== 'string' || typeof method !== 'string') return headers
  const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  const name = member === undefined ? undefined : params[member]
  return {
    'mcp-protocol-version': headerText(version),
    'mcp-method': headerText(method),
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  }
}

/** A header holds plain text only, so the protocol encodes any other text. */
function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** A refusal by HTTP has no id, so it answers the only request. `null`: no request waits for it. */
function withId(answer: object, ids: readonly Id[]): object | null {
  if (!('error' in answer) || ('id' in answer && isId(answer.id))) return answer
  const [id] = ids
  return id === undefined ? null : { ...answer, id }
}

function messageIn(answer: object): string {
  const error = 'error' in answer ? answer.error : null
  return isObject(error)
    ? String(error['message'])
    : 'The answer of the server is not a message of the protocol'
}

function idsOf(message: unknown): Id[] {
  return (Array.isArray(message) ? message : [message]).flatMap((request) =>
    isObject(request) && 'method' in request && isId(request['id']) ? [request['id']] : [],
  )
}

function cancelledBy(message: unknown): Id | null {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return null
  const id = isObject(message['params']) ? message['params']['requestId'] : null
  return isId(id) ? id : null
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

function errorLine(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `The server does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** `undefined`: it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
