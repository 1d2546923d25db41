/** One HTTP exchange, no redirects followed. */
export interface HopRequest {
  readonly url: URL
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /**
   * Checked addresses to connect to, in order. `null`: the host is itself an address, or names
   * cannot be resolved here.
   */
  readonly addresses: readonly string[] | null
  /** Stops reading after this many decoded bytes. */
  readonly maxBytes: number
  /**
   * True if only the whole body is of use. If it is longer than `maxBytes`, the answer has an empty
   * body, which is not even read if its `Content-Length` shows it (RFC 9110 8.6).
   */
  readonly whole?: boolean
  readonly signal: AbortSignal
}

/**
 * The answer to a {@link HopRequest}. The content is decoded (gzip, br, deflate). The body is cut
 * at `maxBytes`, or empty if it is longer and the request is `whole`.
 */
export interface HopResponse {
  readonly status: number
  /** Lower-case names; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** True if the body was longer than `maxBytes`. */
  readonly truncated: boolean
  /**
   * True if nothing else uses the memory of the body, so that its last reader may free it. Absent:
   * not known.
   */
  readonly isOwned?: boolean
  /** The duration of each part of the exchange. Absent: not known. */
  readonly timings?: HopTimings
}

/** How long the parts of one exchange took, in ms. */
export interface HopTimings {
  /**
   * The handshakes of TCP and TLS. Absent: the connection was open before, or the time is not
   * known.
   */
  readonly connectMs?: number
  /** From the request to the head of the answer, the handshakes included. */
  readonly firstByteMs?: number
}

/**
 * Carries out single HTTP exchanges. Only the egress function calls it, because it alone knows
 * which addresses are allowed.
 */
export interface Fetcher {
  readonly capabilities: {
    /** True if `resolve` works, and `send` connects only to the addresses of its request. */
    readonly pinsAddresses: boolean
  }
  /**
   * All addresses of a name.
   *
   * @throws {FetchFailure} (kernel/failures) `dns`
   */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>
  /** @throws {FetchFailure} (kernel/failures) */
  send(request: HopRequest): Promise<HopResponse>
  /** Idempotent. */
  close(): Promise<void>
}
