import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { EVENT_STREAM } from '../kernel/http/event-stream.ts'
import { accepts } from '../kernel/http/headers.ts'
import type { RequestHeaders } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'
import { CallResult } from './call-result.ts'
import type { Data } from './read-answer.ts'
import { INFO } from './server-facts.ts'
import { MODERN_VERSION } from './read-message.ts'

/** A plain tool call in protocol 2026-07-28, without other requests in it. */
export interface PlainModernCall {
  readonly id: RequestId
  readonly name: string
  readonly args: Data | undefined
  /** Version, client and capabilities. */
  readonly envelope: Data
}

const MEMBERS: readonly string[] = ['jsonrpc', 'id', 'method', 'params']
const PARAMS: readonly string[] = ['name', 'arguments', '_meta']
const PREFIX = 'io.modelcontextprotocol/'
const ENVELOPE: readonly string[] = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map(
  (name) => PREFIX + name,
)
/** Names that a header can repeat unchanged. */
const PLAIN_NAME = /^\w{1,60}$/

/**
 * Reads a message as a plain call whose headers agree with it. `null`: the SDK reads it. The SDK
 * makes a server and checks its schemas for each request, which takes several times as long as the
 * rest of a call. A test compares the answers.
 */
export function plainModernCallOf(body: unknown, headers: RequestHeaders): PlainModernCall | null {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return null
  const { id, params } = body
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  if (!hasOnly(body, MEMBERS) || !isObject(params) || !hasOnly(params, PARAMS)) return null
  const { name, arguments: args, _meta: envelope } = params
  if (typeof name !== 'string' || !PLAIN_NAME.test(name)) return null
  if (args !== undefined && !isObject(args)) return null
  // The SDK drops this argument, but keeps it in nested objects.
  if (args && Object.hasOwn(args, '__proto__')) return null
  if (!isObject(envelope) || !hasOnly(envelope, ENVELOPE)) return null
  const accept = headers.get('accept')
  const agrees =
    envelope[`${PREFIX}protocolVersion`] === MODERN_VERSION &&
    headers.get('mcp-protocol-version') === MODERN_VERSION &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === name &&
    accepts(accept, 'application/json') &&
    accepts(accept, EVENT_STREAM)
  return agrees ? { id: typeof id === 'string' ? id : Number(id), name, args, envelope } : null
}

function hasOnly(value: Data, names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false
  return true
}

const ENDING = `"resultType":"complete","_meta":${JSON.stringify({ [`${PREFIX}serverInfo`]: INFO })}`

/** The answer to a plain call, with the same bytes as the SDK's. */
export function plainModernAnswer(id: RequestId, result: CallResult): string {
  return `{"result":{${CallResult.contentFirst(result)},${ENDING}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}
