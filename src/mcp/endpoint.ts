import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { systemClock } from '../defaults/system-clock.ts'
import type { Clock } from '../ports/clock.ts'
import { FairGate } from '../kernel/fair/fair-gate.ts'
import { accepts } from '../kernel/http/headers.ts'
import { EVENT_STREAM } from '../kernel/http/event-stream.ts'
import type { Incoming, Outgoing, Reply } from '../kernel/http/message.ts'
import { PlatformError } from '../kernel/errors.ts'
import { fnv1a } from '../kernel/short-key.ts'
import { DEFAULT_PRICES } from '../kernel/price.ts'
import type { PriceTable } from '../kernel/price.ts'
import { readCapped, turnToParse } from '../kernel/http/message.ts'
import { AcceptedEnvelopes } from './accepted-envelopes.ts'
import { answer, idOf } from './answer.ts'
import { corsHeaders, PREFLIGHT_HEADERS, refuseOrigin } from './origin.ts'
import { credentialOf } from './tool-service.ts'
import type { OriginRules } from './origin.ts'
import { InFlight } from './in-flight.ts'
import { readMessage } from './read-message.ts'
import type { Messages } from './read-message.ts'
import { withMetadata } from './resource-metadata.ts'
import type { AuthorizationOptions } from './resource-metadata.ts'
import { describeRefusal } from './tool-error.ts'
import type { Credential, RateHeaders, Refusal, ToolCaller, ToolService } from './tool-service.ts'

/** Options of {@link createEndpoint}. */
export interface EndpointOptions extends OriginRules, AuthorizationOptions {
  /** Largest body in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * A call that may cost more credits than this is confirmed by the user first, if the client can
   * ask (protocol 2026-07-28). Default: no call is.
   */
  readonly confirmAbove?: number
  /** Credits that a page costs at the service. Default: one, and one more for a model. */
  readonly prices?: PriceTable | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
  /** Called with failures that the client sees only as an opaque error. Default: ignored. */
  readonly onError?: (error: unknown) => void
}

/** The MCP endpoint, independent of the service that runs its tools. */
export interface Endpoint {
  /**
   * Answers one request to any path; never rejects. `serviceOf` returns the service with the tools
   * of the request; `resource` returns the public URL of the endpoint.
   */
  reply(
    request: Incoming,
    serviceOf: () => ToolService | Promise<ToolService>,
    resource: () => string,
  ): Promise<Outgoing>
}

const MAX_BODY_BYTES = 1_048_576
/** Streams of a credential, at a service in another process. The default of an account's plan. */
const STREAMS = { name: 'event streams', places: 5_000, each: 100, waiting: 0 }
/** Number of senders that take turns to have large messages parsed. */
const SENDERS = 17
const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * Streamable HTTP without sessions. A request is refused in this order: `Host` and `Origin` (403),
 * method (405), credential (401), media types (406, 415), body (413, 400). The SDK is loaded with
 * the first message that is not a plain tool call.
 */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { maxBodyBytes = MAX_BODY_BYTES, confirmAbove, authorizationServers = [] } = options
  const { prices = DEFAULT_PRICES, clock = systemClock, onError = () => {} } = options
  const inFlight = new InFlight()
  const envelopes = new AcceptedEnvelopes()
  const streams = new FairGate(STREAMS)

  const unauthorized = (resource: () => string, refusal: Refusal): Reply => {
    const { status } = refusal
    const plain = refusal.challenge ?? 'Bearer'
    const challenge = authorizationServers.length > 0 ? withMetadata(plain, resource()) : plain
    return refuse(status, -32_000, describeRefusal(refusal), {
      'WWW-Authenticate': challenge,
    })
  }
  const refuseCaller = (
    refusal: Refusal,
    rates: RateHeaders,
    resource: () => string,
    id: RequestId | null,
  ): Reply => (passes(refusal) ? tryAgain(refusal, rates, id) : unauthorized(resource, refusal))
  /** An answer with the status and headers of the service's refusal, if there is one. */
  const settle = (
    answered: Outgoing,
    { refusal, rates }: { readonly refusal: Refusal | null; readonly rates: RateHeaders },
    resource: () => string,
    id: RequestId | null,
  ): Outgoing => {
    if (!refusal) return answered
    const refused = refuseCaller(refusal, rates, resource, id)
    if (passes(refusal) || refusal.status === 401) return refused
    return withStatus(answered, refused.status, refused.headers['WWW-Authenticate'] ?? 'Bearer')
  }
  /**
   * Refuses a wrong request. It counts for the rate like any other request. An unknown caller gets
   * only the error about its key. While the service cannot be reached, callers cannot be
   * identified.
   */
  const refuseWrong = async (
    refused: Reply,
    { service, caller }: { readonly service: ToolService; readonly caller: ToolCaller },
    resource: () => string,
  ): Promise<Outgoing> => {
    const { refusal, rates = {} } = await service.list(caller).catch((error: unknown) => {
      onError(error)
      return { refusal: null, rates: {} }
    })
    const isStrange = refusal !== null && (passes(refusal) || refusal.status === 401)
    return isStrange ? refuseCaller(refusal, rates, resource, null) : withHeaders(refused, rates)
  }
  const handle = async (
    request: Incoming,
    serviceOf: () => ToolService | Promise<ToolService>,
    resource: () => string,
  ): Promise<Outgoing> => {
    const { headers } = request
    if (request.method === 'OPTIONS') return { status: 204, headers: PREFLIGHT_HEADERS, body: null }
    if (request.method !== 'POST')
      return refuse(405, -32_000, 'Method not allowed: POST messages here', { Allow: 'POST' })
    const credential = credentialOf(headers)
    if (!credential)
      return unauthorized(resource, {
        status: 401,
        challenge: null,
        retryAfter: null,
        message: null,
      })
    const service = await serviceOf()
    const refused = (reply: Reply): Promise<Outgoing> =>
      refuseWrong(reply, { service, caller: { credential, signal: request.signal } }, resource)
    if (service.problem !== undefined) return refused(refuse(400, -32_600, service.problem))
    const acceptHeader = headers.get('accept')
    const json = accepts(acceptHeader, 'application/json')
    const stream = accepts(acceptHeader, EVENT_STREAM)
    if (!json && !stream)
      return refused(
        refuse(406, -32_000, 'Not acceptable: responses are application/json or text/event-stream'),
      )
    if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
      return refused(refuse(415, -32_000, 'Unsupported media type: send application/json'))
    const bytes = await readCapped(request, maxBodyBytes)
    if (bytes === null)
      return refused(refuse(413, -32_600, `The body is larger than ${maxBodyBytes} bytes`))
    const turn = turnToParse(bytes, () => senderOf(credential))
    if (turn) await turn
    const version = headers.get('mcp-protocol-version')
    const read = readMessage(bytes, version)
    if ('modern' in read) {
      const { answerModern } = await import('./modern-era.ts')
      const { answer: bare, ...outcome } = await answerModern(read.modern, {
        request,
        service,
        credential,
        inFlight,
        streams,
        envelopes,
        confirmAbove,
        prices,
        clock,
        onError,
      })
      return settle(withHeaders(bare, outcome.rates), outcome, resource, idIn(read.modern))
    }
    if ('reason' in read) return refused(refuse(400, read.code, read.reason))
    const sdk = read.messages.every(({ tool }) => tool) ? null : await import('./sdk-server.ts')
    const invalid = sdk?.refuseMessages(read)
    if (invalid) return refused(refuse(400, invalid.code, invalid.reason))
    // Tool calls and lists authenticate at the service. Other messages are authenticated here.
    let counted: RateHeaders = {}
    if (read.messages.every(({ tool }) => !tool)) {
      const { refusal, rates = {} } = await service.list({ credential, signal: request.signal })
      counted = rates
      if (refusal) return refuseCaller(refusal, rates, resource, idOfOnly(read))
    }
    const {
      answer: bare,
      refusal,
      rates,
    } = await answer(read, {
      service,
      credential,
      request,
      json,
      stream,
      inFlight,
      version,
      connect: sdk?.connectServer ?? null,
      onError,
    })
    const withRates = withHeaders(bare, { ...counted, ...rates })
    // The other messages of a list still get their answers, but not if the caller is unknown.
    if (read.isBatch && refusal?.status !== 401) return withRates
    return settle(withRates, { refusal, rates }, resource, idOfOnly(read))
  }
  return {
    async reply(request, serviceOf, resource) {
      try {
        const foreign = refuseOrigin(request, options)
        if (foreign !== null) return refuse(403, -32_000, foreign)
        return withHeaders(await handle(request, serviceOf, resource), corsHeaders(request.headers))
      } catch (error) {
        if (error instanceof PlatformError) return refuse(error.status, -32_600, error.message)
        onError(error)
        return refuse(500, -32_603, 'Something went wrong on our side')
      }
    },
  }
}

/** True if the same request may succeed later. */
function passes({ status }: Refusal): boolean {
  return status === 429 || status === 503
}

/** The answer to a request that is beyond the rate, or that the service cannot answer now. */
function tryAgain(refusal: Refusal, rates: RateHeaders, id: RequestId | null): Reply {
  const headers = { 'Retry-After': refusal.retryAfter ?? '60', ...rates }
  return refuse(refusal.status, -32_000, describeRefusal(refusal), headers, id)
}

function idOfOnly({ messages: [message], isBatch }: Messages): RequestId | null {
  return isBatch || !message ? null : idOf(message)
}

function idIn(value: unknown): RequestId | null {
  return idOf({ value, tool: null })
}

function withStatus(response: Outgoing, status: number, challenge: string): Outgoing {
  return withHeaders(
    response instanceof Response
      ? new Response(response.body, { status, headers: response.headers })
      : { ...response, status },
    { 'WWW-Authenticate': challenge },
  )
}

/** Adds what every answer of an endpoint has. */
export function withRequestId(response: Outgoing, requestId: string): Outgoing {
  return withHeaders(response, {
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
}

/** Adds headers to an answer. */
export function withHeaders(
  response: Outgoing,
  headers: Readonly<Record<string, string>>,
): Outgoing {
  if (!(response instanceof Response))
    return { ...response, headers: { ...response.headers, ...headers } }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

function refuse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  id: RequestId | null = null,
): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
  }
}

/**
 * The sender as which a caller takes turns before its credential is checked. There are a few of
 * them: with one for each credential, invented ones would always come first, and stay in memory.
 */
function senderOf(credential: Credential): string {
  return `mcp ${fnv1a(JSON.stringify(credential)) % SENDERS}`
}
