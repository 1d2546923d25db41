import type { GenericSchema, InferOutput } from 'valibot'
import type { ErrorCode } from '../errors.ts'
import type { RequestHeaders } from './message.ts'
import type { Json } from '../json.ts'
import type { Scope } from '../scope.ts'
import type { Preconditions } from '../preconditions.ts'

/** The caller, as an authenticator identified it. `account` owns everything that the call touches. */
export interface Principal {
  readonly account: string
  readonly user: string
  /** Id of the API key, if one was used. */
  readonly key?: string
  /** Granted scopes: `*`, families such as `tasks:*`, or single scopes. */
  readonly scopes: readonly string[]
}

/** The input of a handler. Everything is validated before it runs. */
export interface RouteInput<Params, Query, Body> {
  readonly principal: Principal
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  /** The request's headers, without making a `Request`. */
  readonly headers: RequestHeaders
  /** The URL at which the caller reaches the service, for links. */
  readonly base: string
  /** Aborts when the client leaves before the answer is complete. */
  readonly signal: AbortSignal
  /** True if the caller reads for a stream that has its place among those of its account. */
  readonly holdsStream: boolean
  readonly requestId: string
  /** Preconditions for the service that writes. */
  readonly preconditions: Preconditions
}

type Schema = GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? InferOutput<S> : undefined

/** The service a route is metered under. */
export type RateService = 'tasks' | 'analytics' | 'billing' | 'mcp'

/**
 * A request and its response for the documentation, in wire format. A test checks them against the
 * route's schemas.
 */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: { readonly [field: string]: Json }
  readonly data?: { readonly [field: string]: Json }
}

/** The content types of a `Response` that the handler makes itself. */
export interface RawAnswer {
  /** Text examples by content type; `null` for binary content. */
  readonly contents: Readonly<Record<string, string | null>>
  /** Content types among these that are sent as gzip if the request accepts it. Default: none. */
  readonly compressible?: readonly string[]
  /** Additional headers with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether `Range` is supported, with 206. */
  readonly ranges?: true
  /** Headers of the request that the handler reads. */
  readonly requestHeaders?: readonly 'Last-Event-ID'[]
  /** Says when the answer is 204, without a body. Absent: it never is. */
  readonly empty?: string
}

/**
 * One route of the route table: the single source of routing, validation, guards, documentation and
 * permission tests. Handlers return the `data` object of the success envelope, or a `Response` for
 * downloads.
 */
interface Route<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the service's root, with `:name` for parameters: `/api/v1/tasks/:id`. */
  readonly path: string
  /** Unique name of the operation: `tasks.create`. */
  readonly operation: string
  readonly summary: string
  /** `null`: public, no credential needed. */
  readonly scope: Scope | null
  /** Other scopes that admit a call. The handler then checks the scope that the request needs. */
  readonly otherScopes?: readonly Scope[]
  /** The rate limit bucket; `null`: not limited. */
  readonly limit: RateService | null
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /**
   * Shape of `data` on success; absent for raw responses. It serves the documentation and the
   * client's types alone, so it is loaded when they are made.
   */
  readonly data?: () => Promise<Schema>
  /** Status on success; default 200. */
  readonly status?: number
  /**
   * For a write: the response is the same as that of a read of the record, so it has the record's
   * `ETag`. Reads of JSON always have one.
   */
  readonly tagged?: boolean
  /** For a read: its data may be tens of megabytes. Such a response is written in slices. */
  readonly large?: boolean
  /**
   * For a write: it supports `If-Match`. The service checks it with
   * {@link RouteInput.preconditions}.
   */
  readonly ifMatch?: boolean
  /**
   * For a POST that may be repeated: a repetition stores nothing twice, so `Idempotency-Key` has no
   * effect.
   */
  readonly repeatable?: boolean
  /**
   * For a write: whether this request changes the account's data and so gets an entry in the audit
   * log. Default: yes, unless the route is `repeatable`.
   */
  readonly audited?: (body: Output<B>) => boolean
  /**
   * For a write: the response holds a secret and is repeated only for the credential that asked for
   * it.
   */
  readonly secret?: boolean
  /**
   * For a public read: how long shared caches may keep the response, in seconds. Default: they may
   * not keep it.
   */
  readonly publicForSeconds?: number
  /** For a public route: the query parameter `token` grants access, and the handler checks it. */
  readonly linkToken?: true
  /** The form of JSON bodies. Default: the envelopes. */
  readonly bodies?: BodyStyle
  /** Describes raw responses; together with `data` if the query chooses between the two. */
  readonly raw?: RawAnswer
  /** Details that the summary omits, for documentation. */
  readonly description?: string
  /** `false`: the application has switched it off. It answers 404, and no document names it. */
  readonly isDescribed?: false
  /**
   * Errors that do not follow from the rest of the route, such as `SERVICE_UNAVAILABLE`,
   * for documentation.
   */
  readonly errors?: readonly ErrorCode[]
  /** Loaded when the documentation is made. */
  readonly example?: () => Promise<RouteExample>
  handler(call: RouteInput<Output<P>, Output<Q>, Output<B>>): Promise<object | Response>
}

/** A route whose schemas were checked against its handler, for the table of all routes. */
export type AnyRoute = Omit<
  Route<Schema | undefined, Schema | undefined, Schema | undefined>,
  'handler' | 'audited'
> & {
  audited?(body: unknown): boolean
  handler(call: RouteInput<unknown, unknown, unknown>): Promise<object | Response>
}

/**
 * Declares a route. The handler's argument types come from its schemas.
 *
 * @example
 *   const route = defineRoute({
 *     method: 'GET',
 *     path: '/api/v1/ping/:id',
 *     operation: 'ping',
 *     summary: 'Answers',
 *     scope: null,
 *     limit: null,
 *     params: v.strictObject({ id: v.string() }),
 *     handler: async ({ params }) => ({ pong: params.id }),
 *   })
 */
export function defineRoute<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
>(route: Route<P, Q, B>): AnyRoute {
  // The router validates with this route's schemas before it calls its handler, so the wider
  // parameter type is safe.
  return route as AnyRoute
}

/** Gives routes their examples by name, from a module that is loaded only for documentation. */
export function examplesFrom<Name extends string>(
  load: () => Promise<Readonly<Record<Name, RouteExample>>>,
): (name: Name) => () => Promise<RouteExample> {
  return (name) => async () => (await load())[name]
}

/** Gives routes the schemas of their answers, from a module that is loaded only for documentation. */
export function answersFrom<Answers>(
  load: () => Promise<Answers>,
): (pick: (answers: Answers) => Schema) => () => Promise<Schema> {
  return (pick) => async () => pick(await load())
}

/**
 * The form of an operation's JSON bodies. A few operations do not use the envelopes, for
 * compatibility.
 */
export interface BodyStyle {
  /** `envelope`: `{ success, data }`; `bare`: the data alone. */
  readonly success: 'envelope' | 'bare'
  /** `envelope`: `{ success, error: { code, message } }`; `text`: `{ error: message }`. */
  readonly error: 'envelope' | 'text'
}

/** The form of nearly all operations. */
export const ENVELOPES: BodyStyle = { success: 'envelope', error: 'envelope' }

/** The media CDN: bytes, or `{ error }`. */
export const MEDIA_BODIES: BodyStyle = { success: 'bare', error: 'text' }
