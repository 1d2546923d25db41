import type { GenericSchema, InferOutput } from 'valibot'
import type { ErrorCode } from '../errors.ts'
import type { RequestHeaders } from './message.ts'
import type { Json } from '../json.ts'
import type { Scope } from '../scope.ts'
import type { Preconditions } from '../preconditions.ts'

/** Who calls. Made by an authenticator; `account` owns everything the call touches. */
export interface Principal {
  readonly account: string
  readonly user: string
  /** Id of the API key that was used, where one was. */
  readonly key?: string
  /** Granted scopes: `*`, families such as `tasks:*`, or single scopes. */
  readonly scopes: readonly string[]
}

/** What a handler is given. Everything is validated before it runs. */
export interface Call<Params, Query, Body> {
  readonly principal: Principal
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  /** Those of the request, which need not be made for them. */
  readonly headers: RequestHeaders
  readonly url: string
  /** Aborts when the client leaves before the answer is complete. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** For the service that writes. */
  readonly preconditions: Preconditions
}

type Schema = GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? InferOutput<S> : undefined

/** The service a route is metered under. */
export type RateService = 'tasks' | 'analytics' | 'billing' | 'mcp'

/**
 * A request and its answer that documentation shows, as they travel; a test holds them against the
 * row's schemas.
 */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: { readonly [field: string]: Json }
  readonly data?: { readonly [field: string]: Json }
}

/** What a handler's own `Response` can be. */
export interface RawAnswer {
  /** Text examples by content type; `null` for bytes that are no text. */
  readonly contents: Readonly<Record<string, string | null>>
  /** Content types among these that go out as gzip where the request accepts it; absent: none. */
  readonly compressible?: readonly string[]
  /** Headers beyond those of every answer: what each says. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether a part is given where `Range` asks for one, as 206. */
  readonly ranges?: true
  /** Headers of the request that the handler reads. */
  readonly requestHeaders?: readonly 'Last-Event-ID'[]
  /** When the answer is 204, without a body; absent: never. */
  readonly empty?: string
}

/**
 * One row of the route table: the single source of routing, validation, guards, documentation and
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
  /** Scopes that admit as well as `scope` does; the handler then asks for what the request takes. */
  readonly otherScopes?: readonly Scope[]
  /** The rate limit bucket; `null`: not limited. */
  readonly limit: RateService | null
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Shape of `data` on success; absent for raw responses. */
  readonly data?: Schema
  /** Status on success; default 200. */
  readonly status?: number
  /**
   * Of a write: the answer is what a read of the record gives, so that it carries the record's
   * `ETag`. Reads of JSON always do.
   */
  readonly tagged?: boolean
  /** Of a read: its data may be tens of megabytes. Such an answer is written in slices. */
  readonly large?: boolean
  /** Of a write: it honours `If-Match`. The service holds {@link Call.preconditions} to it. */
  readonly ifMatch?: boolean
  /**
   * Of a POST: it leaves nothing behind that a repetition could leave twice, so that
   * `Idempotency-Key` means nothing to it.
   */
  readonly repeatable?: boolean
  /**
   * Of a write: the answer holds a secret, and is repeated for the very credential alone that asked
   * for it.
   */
  readonly secret?: boolean
  /**
   * Of a public read: how long caches that several people share may keep the answer, in seconds;
   * default: they may not.
   */
  readonly publicForSeconds?: number
  /**
   * Of a public row: the parameter `token` of the query is what opens it, and the handler holds it
   * to that.
   */
  readonly linkToken?: true
  /** How bodies look; default: the envelopes. */
  readonly bodies?: BodyStyle
  /** Describes raw responses; beside `data` where the query chooses between both. */
  readonly raw?: RawAnswer
  /** What the summary leaves open; for documentation. */
  readonly description?: string
  /**
   * Errors that do not follow from the rest of the row, such as `NOT_IMPLEMENTED`; for
   * documentation.
   */
  readonly errors?: readonly ErrorCode[]
  /** Loaded when documentation is made of it. */
  readonly example?: () => Promise<RouteExample>
  handler(call: Call<Output<P>, Output<Q>, Output<B>>): Promise<object | Response>
}

/** A row whose schemas have been checked against its handler, ready for the one table of all routes. */
export type AnyRoute = Omit<
  Route<Schema | undefined, Schema | undefined, Schema | undefined>,
  'handler'
> & {
  handler(call: Call<unknown, unknown, unknown>): Promise<object | Response>
}

/**
 * Declares a row with its handler's argument types taken from its schemas.
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
  // The router validates with this row's own schemas before it calls this row's own handler, which
  // is what makes the wider parameter type true.
  return route as AnyRoute
}

/** Gives rows their examples by name, out of a module that is loaded for documentation alone. */
export function examplesFrom<Name extends string>(
  load: () => Promise<Readonly<Record<Name, RouteExample>>>,
): (name: Name) => () => Promise<RouteExample> {
  return (name) => async () => (await load())[name]
}

/**
 * How the JSON bodies of an operation look. Clients were promised other than the envelopes in a few
 * places.
 */
export interface BodyStyle {
  /** `envelope`: `{ success, data }`; `bare`: the data alone. */
  readonly success: 'envelope' | 'bare'
  /** `envelope`: `{ success, error: { code, message } }`; `text`: `{ error: message }`. */
  readonly error: 'envelope' | 'text'
}

/** Nearly every operation. */
export const ENVELOPES: BodyStyle = { success: 'envelope', error: 'envelope' }

/** The media CDN: bytes, or `{ error }`. */
export const MEDIA_BODIES: BodyStyle = { success: 'bare', error: 'text' }
