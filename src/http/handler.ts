import { shortDigest } from '../defaults/short-digest.ts'
import type { BodyStyle, AnyRoute } from '../kernel/http/route.ts'
import { createShares } from '../features/limits/shares.ts'
import type { Shares } from '../features/limits/shares.ts'
import type { Digest } from '../kernel/crypto.ts'
import { once } from '../kernel/concurrency.ts'
import { PlatformError, notFound } from '../kernel/errors.ts'
import { StoreFailure } from '../kernel/failures.ts'
import type { Ids } from '../kernel/id.ts'
import { createBaseUrl, mountPath } from '../kernel/http/base-url.ts'
import type { HttpContext, Incoming, Outgoing } from '../kernel/http/message.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { AccountStatus, Authenticator } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { addressOf } from './address.ts'
import type { AuditTrail } from './audit-trail.ts'
import { createCors } from './cors.ts'
import type { CorsOptions } from './cors.ts'
import type { HeaderBag } from './respond.ts'
import type { Idempotency } from './idempotency.ts'
import { Pipeline } from './pipeline.ts'
import { createRateLimit } from './rate-limit.ts'
import type { RateOf, Rates } from './rate-limit.ts'
import { failure, respond, withoutBody } from './respond.ts'
import { createRouter } from './router.ts'
import type { PathEntry } from './router.ts'

/** Options of {@link createHttp}. */
export interface HttpOptions {
  readonly routes: readonly AnyRoute[]
  /** Loads further routes at the first request for a path that is not in `routes`. */
  readonly later?: (() => Promise<readonly AnyRoute[]>) | null
  /** Tried in this order. The first one that returns a principal decides. */
  readonly authenticators: readonly Authenticator[]
  /** Decides which accounts may be used. Absent: all. */
  readonly accountStatus?: AccountStatus | null
  /** `null` switches rate limits off. */
  readonly limiter: Limiter | null
  /** Rates by service. Default of each: 120 a minute, bursts allowed. `false`: no limit. */
  readonly rates?: Rates
  /** Rates of an account's plan. They override `rates`. */
  readonly rateOf?: RateOf
  readonly logger: Logger
  /** Called with each failure of the store. The caller of the API learns only that the store failed. */
  readonly storeFailed?: (failure: StoreFailure) => void
  readonly ids: Ids
  /** Absent: requests are not traced. */
  readonly telemetry?: Telemetry
  readonly clock: Clock
  /** The digest of entity tags. Default: one that runs on every runtime. */
  readonly digest?: Digest
  /** Semaphores of answers that may be large. Default: semaphores of this surface alone. */
  readonly shares?: Pick<Shares, 'answers' | 'stream'>
  /** Implements `Idempotency-Key`. Without it the header is ignored. */
  readonly idempotency?: Idempotency
  /** Records every write with its caller. Absent: nothing is recorded. */
  readonly audit?: AuditTrail
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * A mount path that the application leaves in the URL, such as `/data`. An application that
   * strips it does not need this option, but may set it.
   */
  readonly basePath?: string
  /** The URL at which clients reach the service. Default: what proxies say, or the request's. */
  readonly publicUrl?: string | URL
  /** Default `false`: pages of other origins may not read responses. */
  readonly cors?: CorsOptions | false
}

/** Answers any request; never rejects. */
export interface HttpHandler {
  (request: Request, context?: HttpContext): Promise<Response>
  /**
   * The same for server adapters that avoid `Request` and `Response`, because creating these
   * objects costs more than most calls.
   */
  readonly reply: (incoming: Incoming, context?: HttpContext) => Promise<Outgoing>
}

/** Seconds after which a request that failed because of the store may be sent again. */
const STORE_RETRY_SECONDS = 5
const REQUEST_ID = /^[\w-]{8,64}$/
const MAX_BODY_BYTES = 1_048_576

/**
 * Creates the HTTP surface of a route table. A request passes these steps: route (404, 405),
 * credential (401), rate (429), account and scope (403), media type (406), parameters, query and
 * body (400, 413, 415), idempotency key (409, 422), handler, which checks `If-Match` against the
 * record (412).
 *
 * @example
 *   const routes = taskRoutes(tasks, read)
 *   const http = createHttp({ routes, authenticators: [byKey], limiter: null, logger, ids, clock })
 *   const response = await http(
 *     new Request('https://host.example/api/v1/tasks', { headers: { 'X-API-Key': key } }),
 *   )
 */
export function createHttp(options: HttpOptions): HttpHandler {
  const { ids, logger } = options
  const cors = createCors(options.cors ?? false)
  const { routes } = options
  const find = createRouter(routes)
  const { later } = options
  const findLater = later ? once(async () => createRouter(await later())) : null
  const bodiesBelow = new Map(routes.map(({ path, bodies }) => [rootOf(path), bodies]))
  const basePath = mountPath(options.basePath)
  const limitRate = createRateLimit({
    limiter: options.limiter,
    rates: options.rates ?? {},
    ...(options.rateOf && { rateOf: options.rateOf }),
    clock: options.clock,
    logger,
  })
  const pipeline = new Pipeline({
    authenticators: options.authenticators,
    accountStatus: options.accountStatus ?? null,
    limitRate,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    idempotency: options.idempotency ?? null,
    audit: options.audit ?? null,
    digest: options.digest ?? shortDigest,
    shares: options.shares ?? createShares(options.clock),
    logger,
    baseUrlOf: createBaseUrl(options),
  })

  const replyTo = async (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    const proposedId = request.headers.get('x-request-id')
    const requestId = proposedId !== null && REQUEST_ID.test(proposedId) ? proposedId : ids('req')
    const headers: HeaderBag = { 'X-Request-Id': requestId }
    let entry: PathEntry | null = null
    let root = ''
    let answer: Outgoing
    try {
      cors.add(request, headers)
      const { path, search } = addressOf(request.url)
      const inside = stripPrefix(path, basePath)
      root = rootOf(inside)
      const match = find(inside) ?? (await findLater?.())?.(inside)
      if (!match) throw notFound('Path')
      entry = match.entry
      if (request.method === 'OPTIONS') {
        headers['Allow'] = entry.allow
        cors.addPreflight(request, entry.allow, headers)
        return { status: 204, headers, body: null }
      }
      answer = await pipeline.run({
        request,
        search,
        match,
        route: routeOf(request, entry),
        requestId,
        headers,
        context,
      })
    } catch (error) {
      answer = respond(
        failure(
          expected(error, request, requestId, options),
          entry ? bodiesOf(request, entry) : bodiesBelow.get(root),
        ),
        headers,
      )
    }
    return request.method === 'HEAD' ? withoutBody(answer) : answer
  }
  const { telemetry, clock } = options
  const traced =
    telemetry &&
    once(async () =>
      (await import('./traced.ts')).traceRequests(replyTo, {
        telemetry,
        clock,
        routeOf: (url) => find(stripPrefix(addressOf(url).path, basePath))?.entry.path ?? null,
      }),
    )
  const reply: HttpHandler['reply'] = traced
    ? async (request, context) => (await traced())(request, context)
    : replyTo
  return Object.assign(
    async (request: Request, context?: HttpContext) => responseOf(await reply(request, context)),
    { reply },
  )
}

function routeOf(request: Incoming, { methods, allow }: PathEntry): AnyRoute {
  const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
  if (!route)
    throw new PlatformError('METHOD_NOT_ALLOWED', `This path does not support ${request.method}`, {
      headers: { Allow: allow },
    })
  return route
}

/**
 * Returns the body style of errors before the method is known, or for a method that the path does
 * not have: the style of the path's other methods.
 */
function bodiesOf(request: Incoming, { methods }: PathEntry): BodyStyle | undefined {
  const route = methods.get(request.method) ?? methods.values().next().value
  return route?.bodies
}

/**
 * Returns the first segment of a path. An unknown path has the body style of its neighbours: the
 * media routes have their own.
 */
function rootOf(path: string): string {
  const end = path.indexOf('/', 1)
  return end < 0 ? path : path.slice(0, end)
}

/**
 * Returns the error that the caller may see. Unexpected errors are logged, and their details are
 * hidden from the caller. A caller that disconnects is not an error of the server: nobody reads the
 * answer, and its status is not counted in logs and traces.
 */
function expected(
  error: unknown,
  request: Incoming,
  requestId: string,
  { logger, storeFailed }: HttpOptions,
): PlatformError {
  if (error instanceof PlatformError) return error
  const { aborted, reason } = request.signal
  if (aborted && [error, error instanceof Error && error.cause].includes(reason))
    return new PlatformError('BAD_REQUEST', 'The caller left')
  if (error instanceof StoreFailure) {
    storeFailed?.(error)
    return new PlatformError('SERVICE_UNAVAILABLE', `${error.message}. Try again later`, {
      headers: { 'Retry-After': String(STORE_RETRY_SECONDS) },
      cause: error,
    })
  }
  logger.error('A request failed unexpectedly', { requestId, error })
  return new PlatformError(
    'INTERNAL_SERVER_ERROR',
    `Something went wrong on our side (request ${requestId})`,
  )
}

function stripPrefix(pathname: string, prefix: string): string {
  return prefix !== '' && pathname.startsWith(`${prefix}/`)
    ? pathname.slice(prefix.length)
    : pathname
}
