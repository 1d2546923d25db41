import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { pathPart } from '../kernel/names.ts'
import { TOOL_NAMES } from './tool-names.ts'
import type { Refusal } from './tool-service.ts'

/** An error of the API. */
export interface ServiceError {
  readonly code: string
  readonly message: string
  /** Each with its path. */
  readonly issues: readonly string[]
  /** True if a limit of the account refuses the call. Default: false. */
  readonly atLimit?: boolean
}

/** The failure of a call. */
export interface Failure {
  readonly requestId: string | null
  readonly retryAfter: string | null
  /** True if a credential with more scopes would help. */
  readonly lacksScope: boolean
  /** `null`: the answer had no error. */
  readonly error: ServiceError | null
}

const ADVICE: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'Correct the arguments and call again.',
  PAYMENT_REQUIRED: 'The owner of the account can add credits.',
  SERVICE_UNAVAILABLE: 'Try again later.',
}
/** Advice for codes that already say when to try again. */
const OVER: Readonly<Record<string, string>> = {
  preview_limit_exceeded: 'extract, map and preview count as previews; fetch and runs do not.',
}

/**
 * Describes an error for an agent: what was wrong, where, and what to try. It contains only what
 * the service tells its callers.
 */
export function describeError({ requestId, retryAfter, lacksScope, error }: Failure): string {
  if (error === null || error.code === 'INTERNAL_SERVER_ERROR')
    return `The service could not do this now (request ${requestId ?? 'unknown'}). Try again later.`
  const advice =
    OVER[error.code] ??
    (error.code === 'RATE_LIMIT_EXCEEDED' || retryAfter !== null
      ? `Try again in ${retryAfter ?? '60'} seconds.`
      : lacksScope
        ? 'This API key may not do that; ask its owner for a key with the scope.'
        : error.code === 'CONFLICT' && error.atLimit === true
          ? 'The same call works once the account is below this limit.'
          : // Other states, such as an ended run, refuse the call permanently.
            (ADVICE[error.code] ?? ''))
  const issues = error.issues.length > 1 ? sentence(` Issues: ${error.issues.join('; ')}`) : ''
  // The advice says when.
  const message = sentence(error.message.replace(/\. Try again later\.?$/, ''))
  return `${error.code}: ${message}${issues} ${advice}`.trim()
}

function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`
}

/** Describes why a caller is refused. */
export function describeRefusal({ status, challenge, retryAfter, message }: Refusal): string {
  if (status === 429) return `Too many requests. Try again in ${retryAfter ?? '60'} seconds.`
  if (status === 503) return message ?? 'The service cannot answer now. Try again later'
  if (status === 401) return 'A valid credential is required'
  // Without a challenge, no other credential of the account would help.
  return challenge === null && message !== null
    ? message
    : 'The credential has none of the scopes of this endpoint'
}

/**
 * A failure as a tool result, which agents can read and react to (Model Context Protocol, tools,
 * error handling).
 */
export function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Code of JSON-RPC for parameters that are wrong. */
const INVALID_PARAMS = -32_602
/** Code for a resource that does not exist. The SDK of protocol 2026-07-28 replaces it with its own. */
const NO_RESOURCE = -32_002

/**
 * The error for a prompt or a resource that does not exist. Both SDKs send `code`, `message` and
 * `data` to the client, so all three are written for the client.
 */
export class ContextFailure extends Error {
  readonly code: number
  readonly data: { readonly uri: string } | undefined

  /** `uri`: of the resource that is not there. */
  constructor(message: string, uri?: string) {
    super(message)
    this.code = uri === undefined ? INVALID_PARAMS : NO_RESOURCE
    this.data = uri === undefined ? undefined : { uri }
  }
}

/**
 * The refusal of a tool that is not offered. It explains to a reader of the documentation why the
 * tool is missing here.
 */
export function unknownTool(tool: string): string {
  const unknown = `Unknown tool: ${pathPart(tool)}`
  return TOOL_NAMES.includes(tool)
    ? `${unknown}. This endpoint does not offer it: see ?tools= of its URL, --tools of seine mcp, ` +
        '--mcp-tools of seine serve, mcp.tools of createPlatform'
    : unknown
}
