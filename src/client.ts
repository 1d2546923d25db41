/**
 * A typed client of the HTTP API, for any runtime with `fetch`: browsers, servers, edge.
 *
 * @module
 */
export { createClient } from './client/create-client.ts'
export type { Client } from './client/create-client.ts'
export type { CallOptions, ClientClock, ClientOptions, Credential } from './client/options.ts'
export type {
  EventsOptions,
  ExecutionEvent,
  ExecutionProgress,
  ExecutionsClient,
  ExecutionState,
  FollowOptions,
} from './client/follow.ts'
export type { Download } from './client/download.ts'
export { SeineError } from './client/error.ts'
export type { SeineErrorCode, SeineErrorFacts } from './client/error.ts'
export type {
  Asked,
  ListPage,
  Received,
  Sent,
  Typed,
  Types,
  Written,
} from './client/from-schema.ts'
export type { RecipeInput } from './engine/recipe/recipe-input.ts'
export type * from './client/operations.ts'
export type * from './client/operator.ts'
export type * from './client/types.ts'
