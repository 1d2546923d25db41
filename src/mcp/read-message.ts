import { DEEPEST, isTooDeep } from '../kernel/json-depth.ts'
import { beyondBounds } from '../kernel/schema.ts'
import { isObject } from '../kernel/json.ts'

/** A message of a client. */
export interface Message {
  readonly value: unknown
  /** `null`: it does not concern tools, or is not a valid message. */
  readonly tool: ToolRequest | null
}

/** The messages of a body. */
export interface Messages {
  readonly messages: readonly Message[]
  readonly isBatch: boolean
}

/** A message of the era without handshake. It is not checked further. */
export interface ModernMessage {
  readonly modern: unknown
}

/** The JSON-RPC error for a body that is not a valid message. */
export interface NoMessage {
  readonly code: number
  readonly reason: string
}

/** The supported protocol versions, newest first: those of the SDK. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

/**
 * Limits of a list of messages. Each call in a list costs as much as a request, but the rate limit
 * counts the list as one call. So lists are short and small. Protocol versions from 2025-06-18 on
 * have no lists.
 */
const MOST_IN_LIST = 5
const MOST_LIST_BYTES = 16_384
const decoder = new TextDecoder('utf-8', { fatal: true })

/** The version of the protocol without handshake: each of its requests names it. */
export const MODERN_VERSION = '2026-07-28'
/** The member with the version in requests of that era. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/**
 * True if a body is for the era without handshake: its request names a version, or its header has a
 * version of that era. The SDK checks the other rules.
 */
export function isModern(body: unknown, protocolVersion: string | null): boolean {
  if (!isObject(body)) return false
  const meta = isObject(body['params']) ? body['params']['_meta'] : null
  if (isObject(meta) && VERSION_KEY in meta) return true
  return (
    protocolVersion !== null &&
    protocolVersion >= MODERN_VERSION &&
    /^2\d{3}-/.test(protocolVersion)
  )
}

/** Reads a body: one message, or several in a list, as clients of 2025-03-26 may send them. */
export function readMessage(
  bytes: Uint8Array | string,
  protocolVersion: string | null,
): Messages | ModernMessage | NoMessage {
  let body: unknown
  try {
    const text = typeof bytes === 'string' ? bytes : decoder.decode(bytes)
    if (isTooDeep(text)) return invalid(`the body is deeper than ${DEEPEST} levels`)
    body = JSON.parse(text)
  } catch {
    return { code: -32_700, reason: 'Parse error: the body is not valid JSON' }
  }
  const beyond = beyondBounds(body)
  if (beyond !== null) return invalid(`the body ${beyond}`)
  if (isModern(body, protocolVersion)) return { modern: body }
  if (
    Array.isArray(body) &&
    (protocolVersion === MODERN_VERSION || body.some((message) => isModern(message, null)))
  )
    return invalid(`protocol ${MODERN_VERSION} has no lists: send each message in its own request`)
  if (protocolVersion !== null && !PROTOCOL_VERSIONS.includes(protocolVersion))
    return invalid(
      `MCP-Protocol-Version ${protocolVersion.slice(0, 40)} is not supported; these are: ` +
        `${[MODERN_VERSION, ...PROTOCOL_VERSIONS].join(', ')}`,
    )
  if (!Array.isArray(body)) return { messages: [messageOf(body)], isBatch: false }
  if (body.length === 0 || body.length > MOST_IN_LIST)
    return invalid(
      `a batch holds 1 to ${MOST_IN_LIST} messages, and this one has ${body.length}: send ` +
        'each message in its own request',
    )
  if (body.length > 1 && bytes.length > MOST_LIST_BYTES)
    return invalid(
      `a batch has at most ${MOST_LIST_BYTES} bytes, and this one has ${bytes.length}: send ` +
        'each message in its own request',
    )
  const messages = body.map(messageOf)
  const ids = messages.flatMap(({ value }) =>
    isObject(value) && 'method' in value && 'id' in value ? [value['id']] : [],
  )
  return new Set(ids).size < ids.length
    ? invalid('two requests have the same id')
    : { messages, isBatch: true }
}

/** The JSON-RPC error for an invalid body. */
export function invalid(reason: string): NoMessage {
  return { code: -32_600, reason: `Invalid request: ${reason}` }
}

function messageOf(value: unknown): Message {
  return { value, tool: toolRequestOf(value) }
}

/** `tools/call` or `tools/list`. */
export interface ToolRequest {
  readonly id: string | number
  /** `null`: `tools/list`. */
  readonly call: ToolCall | null
}

/** The arguments of `tools/call`. */
export interface ToolCall {
  readonly name: string
  readonly args: { readonly [name: string]: unknown } | undefined
  readonly progressToken: string | number | null
}

const FIELDS: readonly string[] = ['jsonrpc', 'id', 'method', 'params']
const META: readonly string[] = ['progressToken']

/**
 * Reads a message as a plain request that concerns tools; `null`: the SDK reads it. The SDK's
 * schemas cost more than the rest of a call, so the common messages are recognised here. A test
 * compares both.
 */
export function toolRequestOf(message: unknown): ToolRequest | null {
  if (
    !isObject(message) ||
    message['jsonrpc'] !== '2.0' ||
    !isId(message['id']) ||
    !Object.keys(message).every((name) => FIELDS.includes(name))
  )
    return null
  const { id, method, params = {} } = message
  if (!isObject(params)) return null
  const { _meta: meta = {}, name, arguments: args, cursor, task = {} } = params
  // A server that offers no tasks of protocol 2025-11-25 must answer as if no task was asked for.
  if (!isObject(meta) || !isTask(task)) return null
  const { progressToken } = meta
  if (
    (progressToken !== undefined && !isId(progressToken)) ||
    Object.keys(meta).some(
      (key) => !META.includes(key) && key.startsWith('io.modelcontextprotocol/'),
    )
  )
    return null
  if (method === 'tools/list')
    return cursor === undefined || typeof cursor === 'string' ? { id, call: null } : null
  if (
    method !== 'tools/call' ||
    typeof name !== 'string' ||
    (args !== undefined && !isObject(args))
  )
    return null
  return { id, call: { name, args, progressToken: progressToken ?? null } }
}

function isTask(value: unknown): boolean {
  return isObject(value) && (value['ttl'] === undefined || typeof value['ttl'] === 'number')
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
