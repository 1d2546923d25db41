import type {
  CallToolResult,
  ServerCapabilities,
  ServerNotification,
  Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { RequestHeaders } from '../kernel/http/message.ts'

/** Who asks, and for how long. */
export interface Asked {
  readonly credential: Credential
  /** Aborts when nobody wants the answer any more: the client has gone, or has cancelled. */
  readonly signal: AbortSignal
}

/** Who calls a tool, and how to tell of it before it has ended. */
export interface AskedCall extends Asked {
  /** What the client wants its progress under; `null`: it wants none, or takes no stream. */
  readonly progressToken: string | number | null
  /** Tells the client something; where it takes no stream, nothing. */
  notify(notification: ServerNotification): void
  /** Shows the client, if it reads a stream, that the connection is alive. */
  beat(): void
}

/** Why a caller gets no answer: 401, 403 or 429. */
export interface Refusal {
  readonly status: number
  readonly challenge: string | null
  readonly retryAfter: string | null
}

/** The tools that the caller may use. */
interface Listed {
  readonly refusal: Refusal | null
  readonly tools: readonly Tool[]
}

/** What came of a call. */
export interface Called {
  readonly refusal: Refusal | null
  readonly result: CallToolResult
}

/** Who has the tools: the Task Service, and whatever else answers for it. */
export interface ToolService {
  /** What it offers besides tools; default: nothing. */
  readonly capabilities?: ServerCapabilities
  list(asked: Asked): Promise<Listed>
  call(asked: AskedCall, tool: string, given: unknown): Promise<Called>
}

/** The caller's own credential, as it came. */
export type Credential = Readonly<Record<string, string>>

/** What a caller is known by. Nothing else of a request goes on to the service. */
export function credentialOf(headers: RequestHeaders): Credential | null {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')
  if (authorization === null && apiKey === null) return null
  return {
    ...(authorization !== null && { authorization }),
    ...(apiKey !== null && { 'x-api-key': apiKey }),
  }
}
