import { once } from '../kernel/concurrency.ts'
import { ENVELOPES } from '../kernel/http/route.ts'
import type { Digest } from '../kernel/crypto.ts'
import { demandScope } from '../kernel/preconditions.ts'
import { PlatformError } from '../kernel/errors.ts'
import { ifNoneMatch } from '../kernel/http/headers.ts'
import { EVENT_STREAM } from '../kernel/http/event-stream.ts'
import type { BaseUrlOf } from '../kernel/http/base-url.ts'
import type { HttpContext, Incoming, Outgoing, Reply } from '../kernel/http/message.ts'
import type { AnyRoute, Principal } from '../kernel/http/route.ts'
import type { Preconditions } from '../kernel/preconditions.ts'
import type { Scope } from '../kernel/scope.ts'
import type { AccountStatus, Authenticator } from '../ports/authenticator.ts'
import { demandActive, demandOpen } from '../features/common/account-status.ts'
import type { Standing } from '../features/common/account-status.ts'
import type { Shares } from '../features/limits/shares.ts'
import type { Logger } from '../ports/logger.ts'
import {
  demandNoBody,
  demandAcceptable,
  readBody,
  readParams,
  readQuery,
  validateBody,
  watchBody,
} from './read-request.ts'
import type { AuditEntry, AuditTrail } from './audit-trail.ts'
import type { Attempt, Idempotency } from './idempotency.ts'
import { NOBODY, authenticate, authorize } from './authenticate.ts'
import type { HeaderBag, Answer, Shown } from './respond.ts'
import { readIdempotencyKey } from './read-request.ts'
import { callersOf } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'
import { demandMatch, requestPreconditions, RouteCall } from './route-call.ts'
import type { AnswerPlace } from './large-answer.ts'
import { failure, notModified, respond, success, withHeaders } from './respond.ts'
import type { Match } from './router.ts'

/** Options of {@link Pipeline}. */
export interface PipelineOptions {
  readonly authenticators: readonly Authenticator[]
  readonly accountStatus: AccountStatus | null
  readonly limitRate: RateLimit
  readonly maxBodyBytes: number
  readonly idempotency: Idempotency | null
  /** Records writes. `null`: they are not recorded. */
  readonly audit: AuditTrail | null
  readonly logger: Logger
  /** The digest for entity tags. */
  readonly digest: Digest
  /** Semaphores of answers that may be large. */
  readonly shares: Pick<Shares, 'answers' | 'stream'>
  readonly baseUrlOf: BaseUrlOf
}

/** A request with its route, as it passes the steps. */
export interface Passage {
  readonly request: Incoming
  /** The query, from `?` on. */
  readonly search: string
  readonly match: Match
  readonly route: AnyRoute
  readonly requestId: string
  /** Headers of the answer that the steps set. */
  readonly headers: HeaderBag
  readonly context: HttpContext | undefined
}

const JSON_TYPE = 'application/json'
const NO_QUERY = new URLSearchParams()
const largeAnswers = once(() => import('./large-answer.ts'))
const contentCoding = once(() => import('./content-coding.ts'))

/**
 * Refuses a file or stream that the request does not accept, and cancels it: it may hold a permit.
 * Many clients send `Accept: application/json` with every call. If the route has no JSON, such
 * clients get the file that the path names.
 */
function demandStream(request: Incoming, route: AnyRoute, { headers, body }: Response): void {
  const type = headers.get('content-type') ?? JSON_TYPE
  const isFile = route.data === undefined && !type.startsWith(EVENT_STREAM)
  try {
    demandAcceptable(request, type, isFile ? [JSON_TYPE] : [])
  } catch (error) {
    body?.cancel().catch(() => undefined)
    throw error
  }
}

/** The steps of a request after routing. A step throws a {@link PlatformError} to end the request. */
export class Pipeline {
  readonly #options: PipelineOptions

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  async run(passage: Passage): Promise<Outgoing> {
    const { request, route } = passage
    const principal = await this.#admit(passage)
    // This check runs before the handler, so a request has no effect if the caller does not accept
    // its answer. The media type of a download is known only after the handler.
    if (route.data && !route.raw) demandAcceptable(request, JSON_TYPE)
    else if (route.data && route.method !== 'GET')
      demandAcceptable(request, JSON_TYPE, Object.keys(route.raw?.contents ?? {}))
    const params = readParams(passage.match.params, route.params)
    const query = readQuery(
      passage.search === '' ? NO_QUERY : new URLSearchParams(passage.search),
      route.query,
    )
    let body: unknown
    let bodyLength = 0
    if (route.body) {
      const read = await readBody(request, this.#options.maxBodyBytes, principal.account)
      body = validateBody(route.body, read.value)
      bodyLength = read.length
    } else if (!route.linkToken && route.method !== 'GET') await demandNoBody(request)
    const call = new RouteCall({
      incoming: request,
      forwarded: passage.context?.forwarded,
      baseUrlOf: this.#options.baseUrlOf,
      requestId: passage.requestId,
      principal,
      params,
      query,
      body,
      bodyLength,
    })
    const turn = call.turnOfBody()
    if (turn) await turn
    if (route.method !== 'GET') return await this.#write(passage, call)
    if (route.large) return await this.#readLarge(passage, call)
    const result = await route.handler(call)
    if (result instanceof Response) return await this.#stream(passage, result)
    if (route.raw) demandAcceptable(request, JSON_TYPE)
    return this.#replyTo(passage, this.#show(route, result))
  }

  async #admit(passage: Passage): Promise<Principal> {
    const { request, route, context, headers } = passage
    const clientIp = context?.clientIp
    if (route.scope === null) return this.#admitAnyone(passage)
    const { limitRate, authenticators, accountStatus } = this.#options
    let principal = NOBODY
    let standing: Standing = 'active'
    try {
      principal = await authenticate(request, authenticators)
      context?.onCaller?.(principal)
      if (accountStatus !== null) standing = await demandOpen(accountStatus, principal.account)
    } catch (error) {
      // Refused credentials count against the client's address, across all services, so guessing is
      // limited. A valid credential from that address still passes: other users may share it
      // (decisions/007-authentication.md).
      if (error instanceof PlatformError && error.code === 'UNAUTHORIZED')
        await limitRate('authentication', callersOf(null, clientIp), headers)
      throw error
    }
    // A refused call counts too.
    await limitRate(route.limit, callersOf(principal, clientIp), headers)
    demandActive(standing)
    authorize(principal, route)
    return principal
  }

  /**
   * Admits anyone to a public route. A caller with a valid credential counts as its user, so
   * callers at the same address do not use up its rate limit. A wrong credential counts as none.
   */
  async #admitAnyone({ request, route, context, headers }: Passage): Promise<Principal> {
    const clientIp = context?.clientIp
    const { limitRate, authenticators } = this.#options
    if (route.limit === null) return NOBODY
    // Any header may hold the credential, because sessions of the host are often cookies.
    const caller = await authenticate(request, authenticators).catch(() => NOBODY)
    const rateHeaders: HeaderBag = {}
    await limitRate(route.limit, callersOf(caller, clientIp), rateHeaders).catch(
      (error: unknown) => {
        Object.assign(headers, rateHeaders)
        throw error
      },
    )
    // Responses that caches may share contain nothing about the rate limit of one caller.
    if (route.publicForSeconds === undefined) Object.assign(headers, rateHeaders)
    return NOBODY
  }

  /** Returns the answer to a read whose handler makes a response of its own. */
  async #stream(passage: Passage, response: Response): Promise<Response> {
    const { request, route, headers, requestId } = passage
    demandStream(request, route, response)
    const watched = watchBody(response, requestId, this.#options.logger)
    const compressible = route.raw?.compressible
    return withHeaders(
      compressible ? (await contentCoding()).encodeBody(watched, request, compressible) : watched,
      headers,
    )
  }

  /**
   * Answers a read that may be large. Each account may have only a few such answers at the same
   * time. An answer counts from before its data is read until it is sent.
   */
  async #readLarge(passage: Passage, call: RouteCall): Promise<Outgoing> {
    const { route, requestId } = passage
    const place = await this.#placeOf(call)
    let isHeld = false
    try {
      const result = await route.handler(call)
      if (result instanceof Response) throw new Error(`${route.operation} gives no data`)
      const { largeSuccess } = await largeAnswers()
      const large = await largeSuccess(result, this.#shown(route))
      if (large === null) return this.#replyTo(passage, this.#show(route, result))
      const reply = this.#replyTo(passage, {
        status: large.status,
        headers: large.headers,
        body: '',
      })
      if (reply.body === null) return reply
      isHeld = true
      return watchBody(large.respond(reply, place), requestId, this.#options.logger)
    } finally {
      if (!isHeld) place.leave()
    }
  }

  async #placeOf({ principal, signal }: RouteCall): Promise<AnswerPlace> {
    const { answers, stream } = this.#options.shares
    return { leave: await answers.enter(principal.account, { signal }), stream }
  }

  /** Returns the answer to a read: 304 if the caller already has it. */
  #replyTo({ request, headers }: Passage, answer: Answer): Reply {
    const etag = answer.headers['ETag'] ?? ''
    const ifMatch = request.headers.get('if-match')
    if (ifMatch !== null) demandMatch(ifMatch, etag)
    const heldEtags = request.headers.get('if-none-match')
    return heldEtags !== null && ifNoneMatch(heldEtags, etag)
      ? notModified(answer, headers)
      : respond(answer, headers)
  }

  async #write(passage: Passage, call: RouteCall): Promise<Outgoing> {
    const { request, route, headers } = passage
    const key = route.repeatable ? null : readIdempotencyKey(request.headers)
    if (key === null || this.#options.idempotency === null || call.principal.account === '') {
      const result = await this.#handle(passage, call, null)
      const turn = call.turnOfBody()
      if (turn) await turn
      return result instanceof Response
        ? withHeaders(watchBody(result, passage.requestId, this.#options.logger), headers)
        : 'readsData' in request && request.readsData
          ? respond({ status: route.status ?? 200, headers: {}, body: null }, headers, result)
          : respond(this.#show(route, result), headers, result)
    }
    const { replay, attempt } = await this.#options.idempotency.begin(
      { account: call.principal.account, key, asked: askedOf(passage, call) },
      (demands) => {
        for (const scopes of demands ?? everyScopeOf(route)) demandScope(call.principal, scopes)
      },
    )
    if (replay) return respond(replay, { ...headers, 'Idempotency-Replayed': 'true' })
    return respond(await this.#attempt(passage, call, attempt), headers)
  }

  /** Calls the handler of a write, with its entry in the audit log. */
  async #handle(
    passage: Passage,
    call: RouteCall,
    attempt: Attempt | null,
  ): Promise<object | Response> {
    const { route, requestId, context } = passage
    const { account, user, key = null } = call.principal
    // A repeatable request writes nothing that its caller could read again.
    const audit =
      route.repeatable || account === '' || route.audited?.(call.body) === false
        ? null
        : (this.#options.audit?.begin({
            account,
            operation: route.operation,
            subject: passage.match.params['id'] ?? null,
            user,
            key,
            ip: context?.clientIp ?? null,
            requestId,
            status: route.status ?? 200,
          }) ?? null)
    try {
      const result = await route.handler(call.on(this.#termsOf(passage, attempt, audit)))
      await audit?.done(result)
      return result
    } catch (error) {
      await audit?.failed(error)
      throw error
    }
  }

  async #attempt(passage: Passage, call: RouteCall, attempt: Attempt): Promise<Answer> {
    const { route, requestId } = passage
    try {
      const result = await this.#handle(passage, call, attempt)
      if (result instanceof Response)
        throw new Error(`The write ${route.operation} gives no data to answer a repetition with`)
      const turn = call.turnOfBody()
      if (turn) await turn
      return await attempt.finish(this.#show(route, result))
    } catch (error) {
      if (isFinal(error)) return await attempt.finish(failure(error, route.bodies))
      const answer = await attempt.giveUp()
      if (answer === null) throw error
      // The effect is committed and its answer is stored, so the caller gets that answer. A failure
      // of the commit call or of a later step does not change it.
      this.#options.logger.error('A request failed after it had its effect', {
        requestId,
        error,
      })
      return answer
    }
  }

  #termsOf(
    { request, route }: Passage,
    attempt: Attempt | null,
    audit: AuditEntry | null,
  ): Preconditions {
    return requestPreconditions({
      request,
      route,
      attempt,
      audit,
      show: (data) => this.#show(route, data),
      digest: this.#options.digest,
    })
  }

  #show(route: AnyRoute, data: object): Answer {
    return success(data, this.#shown(route))
  }

  #shown(route: AnyRoute): Shown {
    const isTagged = route.method === 'GET' || route.tagged === true
    return {
      status: route.status ?? 200,
      bodies: route.bodies ?? ENVELOPES,
      tagged: isTagged ? this.#options.digest : null,
      publicForSeconds: route.publicForSeconds ?? null,
    }
  }
}

/**
 * Returns true if a refusal must be stored as the answer: the operation was tried, and the state of
 * its records did not allow it. Any other refusal may be retried.
 */
function isFinal(error: unknown): error is PlatformError {
  return (
    error instanceof PlatformError &&
    (error.code === 'NOT_FOUND' || error.code === 'CONFLICT') &&
    !error.passing
  )
}

/**
 * The scopes that a caller needs for a stored answer whose scopes were not recorded: every scope
 * that the route can demand.
 */
function everyScopeOf({ scope, otherScopes = [] }: AnyRoute): Scope[][] {
  return (scope === null ? otherScopes : [scope, ...otherScopes]).map((scopes) => [scopes])
}

function askedOf({ route }: Passage, { principal, params, query, body }: RouteCall): string {
  const caller = route.secret ? [principal.user, principal.key ?? null] : null
  return JSON.stringify([route.operation, params ?? null, query ?? null, body ?? null, caller])
}
