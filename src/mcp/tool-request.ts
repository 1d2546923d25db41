import { isObject } from '../kernel/json.ts'

/** `tools/call` or `tools/list`. */
export interface ToolRequest {
  readonly id: string | number
  /** `null`: `tools/list`. */
  readonly call: ToolCall | null
}

/** What is asked of a tool. */
export interface ToolCall {
  readonly name: string
  readonly given: { readonly [name: string]: unknown } | undefined
  readonly progressToken: string | number | null
}

const FIELDS: readonly string[] = ['jsonrpc', 'id', 'method', 'params']
const META: readonly string[] = ['progressToken']

/**
 * A message as a request that concerns tools, if it is one with nothing unusual about it; `null`:
 * the SDK judges it. Its schemas cost more than all else of a call, so what nearly every message
 * is, is told here. A test holds the two against each other.
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
  const { _meta: meta = {}, name, arguments: given, cursor, task } = params
  if (!isObject(meta) || task !== undefined) return null
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
    (given !== undefined && !isObject(given))
  )
    return null
  return { id, call: { name, given, progressToken: progressToken ?? null } }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
