import { PlatformError, notFound } from '../kernel/errors.ts'
import type { Ids } from '../kernel/id.ts'
import type { AnyRoute, Call, Principal } from '../kernel/route.ts'
import type { Authenticator } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import { NOBODY, authenticate, authorize } from './authenticate.ts'
import { addCors, addPreflight } from './cors.ts'
import type { CorsOptions } from './cors.ts'
import type { HeaderBag } from './header-bag.ts'
import { callerOf, createRateLimit } from './rate-limit.ts'
import type { RateLimit, Rates } from './rate-limit.ts'
import { readBody } from './read-body.ts'
import { readParams } from './read-params.ts'
import { readQuery } from './read-query.ts'
import { failure, success, withHeaders, withoutBody } from './respond.ts'
import { createRouter } from './router.ts'
import type { Match } from './router.ts'
import { validate } from './validate.ts'

/** What {@link createHttp} is made of. */
export interface HttpOptions {
  readonly routes: readonly AnyRoute[]
  /** Asked in this order; the first that knows the caller decides. */
  readonly authenticators: readonly Authenticator[]
  /** `null` switches rate limits off. */
  readonly limiter: Limiter | null
  /** By service; 120 a minute, also all at once, where a service is not named. `false`: off. */
  readonly rates?: Rates
  readonly logger: Logger
  readonly ids: Ids
  readonly clock: Clock
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** A prefix that the host leaves in the URL, such as `/data`. A host that strips it needs none, and may set it all the same. */
  readonly basePath?: string
  /** Default `false`: no page of another origin may read answers. */
  readonly cors?: CorsOptions | false
}

/** What only the host knows about a request. */
export interface HttpContext {
  /** The client's address, from the socket or a trusted proxy. */
  readonly clientIp?: string
}

/** Answers any request; never rejects. */
export type Http = (request: Request, context?: HttpContext) => Promise<Response>

const REQUEST_ID = /^[\w-]{8,64}$/
const MAX_BODY_BYTES = 1_048_576

/**
 * The HTTP surface of a route table. A request passes: route (404, 405), credential (401), scope (403), rate (429),
 * parameters, query and body (400, 413, 415), handler. Each step throws a {@link PlatformError} to end it.
 *
 * @example
 * const http = createHttp({ routes: taskRoutes(tasks), authenticators: [byKey], limiter: null, logger, ids, clock })
 * const response = await http(new Request('https://host.example/api/v1/tasks', { headers: { 'X-API-Key': key } }))
 */
export function createHttp(options: HttpOptions): Http {
  const { ids, logger, cors = false } = options
  const find = createRouter(options.routes)
  const basePath = normalisePrefix(options.basePath ?? '')
  const limitRate = createRateLimit({ limiter: options.limiter, rates: options.rates ?? {}, clock: options.clock, logger })
  const pipeline = new Pipeline(options.authenticators, limitRate, options.maxBodyBytes ?? MAX_BODY_BYTES)

  return async (request, context) => {
    const given = request.headers.get('x-request-id')
    const requestId = given !== null && REQUEST_ID.test(given) ? given : ids('req')
    const headers: HeaderBag = { 'X-Request-Id': requestId }
    let response: Response
    try {
      addCors(request, cors, headers)
      const url = new URL(request.url)
      const match = await find(stripPrefix(url.pathname, basePath))
      if (!match) throw notFound('Path')
      if (request.method === 'OPTIONS') {
        headers['Allow'] = match.entry.allow
        addPreflight(request, match.entry.allow, headers)
        return new Response(null, { status: 204, headers })
      }
      response = await pipeline.run({ request, url, match, requestId, headers, clientIp: context?.clientIp })
    } catch (error) {
      response = failure(expected(error, requestId, logger), headers)
    }
    return request.method === 'HEAD' ? withoutBody(response) : response
  }
}

/** A request on its way through the steps. */
interface Passage {
  readonly request: Request
  readonly url: URL
  readonly match: Match
  readonly requestId: string
  readonly headers: HeaderBag
  readonly clientIp: string | undefined
}

class Pipeline {
  readonly #authenticators: readonly Authenticator[]
  readonly #limitRate: RateLimit
  readonly #maxBodyBytes: number

  constructor(authenticators: readonly Authenticator[], limitRate: RateLimit, maxBodyBytes: number) {
    this.#authenticators = authenticators
    this.#limitRate = limitRate
    this.#maxBodyBytes = maxBodyBytes
  }

  async run(passage: Passage): Promise<Response> {
    const route = routeOf(passage)
    const principal = await this.#admit(passage, route)
    const call = await this.#read(passage, route, principal)
    const result = await route.handler(call)
    return result instanceof Response ? withHeaders(result, passage.headers) : success(result, route.status ?? 200, passage.headers)
  }

  async #admit({ request, clientIp, headers }: Passage, route: AnyRoute): Promise<Principal> {
    const principal = route.scope === null ? NOBODY : await this.#identify(request, route, clientIp, headers)
    authorize(principal, route)
    await this.#limitRate(route.limit, callerOf(principal, clientIp), headers)
    return principal
  }

  async #identify(request: Request, route: AnyRoute, clientIp: string | undefined, headers: HeaderBag): Promise<Principal> {
    try {
      return await authenticate(request, this.#authenticators)
    } catch (error) {
      // Guesses count against the address they come from, so that they cannot go on for ever.
      if (error instanceof PlatformError && error.code === 'UNAUTHORIZED') await this.#limitRate(route.limit, callerOf(null, clientIp), headers)
      throw error
    }
  }

  async #read({ request, url, match, requestId }: Passage, route: AnyRoute, principal: Principal): Promise<Call<unknown, unknown, unknown>> {
    const params = readParams(match.params, route.params)
    const query = readQuery(url.searchParams, route.query)
    const body = route.body ? validate(route.body, await readBody(request, this.#maxBodyBytes)) : undefined
    return { principal, params, query, body, request, requestId }
  }
}

function routeOf({ request, match }: Passage): AnyRoute {
  const { methods, allow } = match.entry
  const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
  if (!route) throw new PlatformError('METHOD_NOT_ALLOWED', `This path has no ${request.method}`, { headers: { Allow: allow } })
  return route
}

/** What the caller may see of a failure; what it may not goes to the logger. */
function expected(error: unknown, requestId: string, logger: Logger): PlatformError {
  if (error instanceof PlatformError) return error
  logger.error('A request failed unexpectedly', { requestId, error })
  return new PlatformError('INTERNAL_SERVER_ERROR', `Something went wrong on our side (request ${requestId})`)
}

function normalisePrefix(prefix: string): string {
  const bare = prefix.replace(/^\/+|\/+$/g, '')
  return bare === '' ? '' : `/${bare}`
}

function stripPrefix(pathname: string, prefix: string): string {
  return prefix !== '' && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}
