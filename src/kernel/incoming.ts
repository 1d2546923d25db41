/** Headers of a request; names in any case, values as `Headers` gives them. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/**
 * A request that no `Request` was made of yet, as that costs more than the work of most calls. A
 * server's adapter gives it with what it has at hand.
 */
export interface LazyRequest {
  readonly method: string
  /** As `Request.url` would be: absolute and normalised. */
  readonly url: string
  readonly headers: RequestHeaders
  readonly body: ReadableStream<Uint8Array> | null
  /** Aborts when the client leaves before the answer is complete. */
  readonly signal: AbortSignal
  /**
   * The whole body instead of `body`, where that is cheaper, as bytes or as the text that they are;
   * `null` for one of more than `maxBytes`.
   */
  readonly readAll?: (maxBytes: number) => Promise<Uint8Array | string | null>
  /** The same one each time. Where the body was read before, it has none. */
  toRequest(): Request
}

/** What is asked. Most calls need no more than these two have in common. */
export type Incoming = Request | LazyRequest

/** The `Request` of an incoming request, for whoever was promised one. */
export function requestOf(incoming: Incoming): Request {
  return 'toRequest' in incoming ? incoming.toRequest() : incoming
}
