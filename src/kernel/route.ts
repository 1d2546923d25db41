import type { GenericSchema, InferOutput } from 'valibot'
import type { Scope } from './scope.ts'

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
  readonly requestId: string
}

type Schema = GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? InferOutput<S> : undefined

/** The service a route is metered under. */
export type RateService = 'tasks' | 'analytics' | 'billing' | 'mcp'

/**
 * One row of the route table: the single source of routing, validation, guards, documentation and permission tests.
 * Handlers return the `data` object of the success envelope, or a `Response` for downloads.
 */
export interface Route<P extends Schema | undefined = undefined, Q extends Schema | undefined = undefined, B extends Schema | undefined = undefined> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the service's root, with `:name` for parameters: `/api/v1/tasks/:id`. */
  readonly path: string
  /** Unique name of the operation: `tasks.create`. */
  readonly operation: string
  readonly summary: string
  /** `null`: public, no credential needed. */
  readonly scope: Scope | null
  /** The rate limit bucket; `null`: not limited. */
  readonly limit: RateService | null
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Shape of `data` on success; absent for raw responses. */
  readonly data?: Schema
  /** Status on success; default 200. */
  readonly status?: number
  handler(call: Call<Output<P>, Output<Q>, Output<B>>): Promise<object | Response>
}

/** A row whose schemas have been checked against its handler, ready for the one table of all routes. */
export type AnyRoute = Omit<Route<Schema | undefined, Schema | undefined, Schema | undefined>, 'handler'> & {
  handler(call: Call<unknown, unknown, unknown>): Promise<object | Response>
}

/**
 * Declares a row with its handler's argument types taken from its schemas.
 *
 * @example
 * const route = defineRoute({
 *   method: 'GET', path: '/api/v1/ping/:id', operation: 'ping', summary: 'Answers', scope: null, limit: null,
 *   params: v.strictObject({ id: v.string() }),
 *   handler: async ({ params }) => ({ pong: params.id }),
 * })
 */
export function defineRoute<P extends Schema | undefined = undefined, Q extends Schema | undefined = undefined, B extends Schema | undefined = undefined>(
  route: Route<P, Q, B>,
): AnyRoute {
  // The router validates with this row's own schemas before it calls this row's own handler, which is what
  // makes the wider parameter type true.
  return route as AnyRoute
}
