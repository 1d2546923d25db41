/** A secret, or a function that returns the current one before each request. */
export type Credential = string | (() => string | Promise<string>)

/** The clock of the client. The `Clock` of `seine` implements it. */
export interface ClientClock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Options of a client. */
export interface ClientOptions {
  /**
   * URL where the platform is mounted, without `/api/v1`: `https://data.example`,
   * `https://app.example/data`. In browsers also `/data`.
   */
  readonly baseUrl: string | URL
  /**
   * An API key, sent as `X-API-Key`. If the service accepts keys only as `Authorization: Bearer`,
   * pass the key as `token`.
   */
  readonly apiKey?: Credential
  /** Sent as `Authorization: Bearer`: a JWT of a session, or an API key. */
  readonly token?: Credential
  /**
   * Sends requests. Default: the runtime's `fetch`. In process: `(request) =>
   * platform.fetch(request)`.
   */
  readonly fetch?: (request: Request) => Promise<Response>
  /**
   * Maximum retries of a call after a network error, a rate limit or an unavailable service.
   * Default 3. 0: no retries.
   */
  readonly retries?: number
  readonly clock?: ClientClock
  /** Random bytes, for idempotency keys and for the random part of waits. */
  readonly random?: (length: number) => Uint8Array
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Ends the call and its waits; it then rejects with the signal's reason. The client itself has no
   * time limit: use `AbortSignal.timeout`.
   */
  readonly signal?: AbortSignal
  /** For a write. Default: a random key. Two calls with the same key and input have one effect. */
  readonly idempotencyKey?: string
  /**
   * For a write: it applies only if the record has not changed since it was read. Pass a record
   * that this client returned, or an `ETag`. Otherwise 412 `PRECONDITION_FAILED`.
   */
  readonly ifMatch?: object | string
}
