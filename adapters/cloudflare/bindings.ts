// The used parts of Cloudflare's bindings as types of our own, so that this package does not need
// Cloudflare's types.

/** A D1 database. */
export interface D1Database {
  prepare(sql: string): D1Statement
  /** Runs all statements in order in one transaction; if one fails, none takes effect. */
  batch(statements: D1Statement[]): Promise<D1Result[]>
}

/** A statement of {@link D1Database}. */
export interface D1Statement {
  bind(...values: unknown[]): D1Statement
  all(): Promise<D1Result>
}

/** The result of a statement. */
export interface D1Result {
  readonly results?: readonly unknown[]
}

/** The storage of a Durable Object that is backed by SQLite. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: (string | number | null)[]): ObjectCursor }
  /** Rolls back if `work` throws. */
  transactionSync<T>(work: () => T): T
  getAlarm(): Promise<number | null>
  setAlarm(scheduledTime: number): Promise<void>
  deleteAll(): Promise<void>
}

/** Rows of a query of {@link ObjectStorage}. */
export interface ObjectCursor {
  toArray(): Record<string, unknown>[]
  readonly rowsWritten: number
}

/** The state that a Durable Object's constructor gets. */
export interface ObjectState extends EventContext {
  readonly storage: ObjectStorage
}

/** A binding of Durable Objects. */
export interface ObjectNamespace {
  getByName(name: string): { fetch(request: Request): Promise<Response> }
}

/** An R2 bucket. */
export interface R2Bucket {
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>
  put(key: string, value: Uint8Array): Promise<unknown>
  delete(key: string): Promise<void>
  list(options: { prefix: string; cursor?: string }): Promise<R2Listing>
}

/** Keys of an {@link R2Bucket}, a page at a time. */
export interface R2Listing {
  readonly objects: readonly { readonly key: string }[]
  readonly truncated: boolean
  readonly cursor?: string
}

/** Lets work of an event outlive its answer. */
export interface EventContext {
  waitUntil(promise: Promise<unknown>): void
}
