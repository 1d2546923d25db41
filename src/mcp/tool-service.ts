import type {
  CallToolResult,
  ServerCapabilities,
  ServerNotification,
  Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { Outgoing, RequestHeaders } from '../kernel/http/message.ts'

/** The caller of a request, and the signal that ends it. */
export interface ToolCaller {
  readonly credential: Credential
  /** Aborts when the client disconnects or cancels. */
  readonly signal: AbortSignal
}

/** The caller of a tool, and how to notify it before the call ends. */
export interface ToolCallContext extends ToolCaller {
  /**
   * The token of the client's progress notifications; `null`: it wants no progress, or accepts no
   * stream.
   */
  readonly progressToken: string | number | null
  /** Notifies the client; does nothing if it accepts no stream. */
  notify(notification: ServerNotification): void
  /** Keeps the connection alive, if the client reads a stream. */
  beat(): void
}

/** Why a caller gets no answer: 401, 403, 429, or 503 for a list of tools. */
export interface Refusal {
  readonly status: number
  readonly challenge: string | null
  readonly retryAfter: string | null
  /** The service's own words. */
  readonly message: string | null
}

/** Headers of rate limits, as the service gave them. */
export type RateHeaders = Readonly<Record<string, string>>

/** The tools that the caller may use. */
interface ToolList {
  readonly refusal: Refusal | null
  readonly tools: readonly Tool[]
  /** Default: none. */
  readonly rates?: RateHeaders
}

/** An error of JSON-RPC. */
export interface RpcError {
  readonly code: number
  readonly message: string
}

/** The result of a call. */
export interface ToolOutcome {
  readonly refusal: Refusal | null
  readonly result: CallToolResult
  /** Replaces the result if the request itself is wrong: it names no tool. Default: none. */
  readonly error?: RpcError
  /** Default: none. */
  readonly rates?: RateHeaders
}

/** A request to the service. */
export interface ServiceQuestion {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v1`. */
  readonly path: string
  readonly accept: string
}

/** The owner of the tools: the API, or another implementation. */
export interface ToolService {
  /** Capabilities besides tools. Default: none. */
  readonly capabilities?: ServerCapabilities
  /** Why the request is refused: it names tools that are not offered. Default: it is not. */
  readonly problem?: string
  list(caller: ToolCaller): Promise<ToolList>
  call(caller: ToolCallContext, tool: string, args: unknown): Promise<ToolOutcome>
  /**
   * Asks the service at a path below `/api/v1`. Absent: there are no prompts, resources and tasks,
   * which need it.
   */
  readonly ask?: (caller: ToolCaller, question: ServiceQuestion) => Promise<Outgoing>
  /**
   * Takes a place for a stream of the caller's account, and returns the function that frees it. It
   * is called after another request of the caller has succeeded; what the caller asks after that
   * takes no further place. `end` is called when the service closes. Absent: the endpoint counts
   * the streams of each credential.
   *
   * @throws {PlatformError} 429 if the account has as many streams as it may
   */
  readonly enterStream?: (end: () => void) => Promise<() => void>
}

/** The caller's own credential, unchanged. */
export type Credential = Readonly<Record<string, string>>

/**
 * Returns the headers that identify a caller. No other header of a request is passed to the
 * service.
 */
export function credentialOf(headers: RequestHeaders): Credential | null {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')
  if (authorization === null && apiKey === null) return null
  return {
    ...(authorization !== null && { authorization }),
    ...(apiKey !== null && { 'x-api-key': apiKey }),
  }
}
