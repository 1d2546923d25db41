import { SUPPORTED_PROTOCOL_VERSIONS, isInitializeRequest, isJSONRPCErrorResponse, isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** The messages of a body. */
export interface Messages {
  readonly messages: readonly JSONRPCMessage[]
  readonly isBatch: boolean
}

/** Why a body is none of the protocol: a JSON-RPC error. */
export interface NoMessage {
  readonly code: number
  readonly reason: string
}

const MOST_IN_BATCH = 100
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads a body: one message, or several in a list, as clients of 2025-03-26 may send them. */
export function readMessage(bytes: Uint8Array, protocolVersion: string | null): Messages | NoMessage {
  if (protocolVersion !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) return invalid(`MCP-Protocol-Version ${protocolVersion.slice(0, 40)} is not supported; these are: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`)
  let body: unknown
  try {
    body = JSON.parse(decoder.decode(bytes))
  } catch {
    return { code: -32_700, reason: 'Parse error: the body is not valid JSON' }
  }
  const isBatch = Array.isArray(body)
  const all: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (all.length === 0 || all.length > MOST_IN_BATCH) return invalid(`a list of messages holds 1 to ${MOST_IN_BATCH}`)
  const messages = all.filter(isMessage)
  if (messages.length < all.length) return invalid('this is no message of JSON-RPC 2.0')
  const ids = messages.filter(isJSONRPCRequest).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return invalid('two requests have the same id')
  if (isBatch && messages.some(isInitializeRequest) && messages.length > 1) return invalid('initialize comes alone')
  return { messages, isBatch }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value)
}

function invalid(reason: string): NoMessage {
  return { code: -32_600, reason: `Invalid request: ${reason}` }
}
