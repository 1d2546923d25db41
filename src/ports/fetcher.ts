/** One HTTP exchange, no redirects followed. */
export interface HopRequest {
  readonly url: URL
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /**
   * Checked addresses to connect to, in order; `null` where the host is an address itself or names
   * can't be resolved here.
   */
  readonly addresses: readonly string[] | null
  /** Stops reading after this many decoded bytes. */
  readonly maxBytes: number
  /**
   * True if a part of the body is of no use. Of a body longer than `maxBytes` nothing is answered
   * then, and nothing is read if its `Content-Length` says so (RFC 9110 8.6).
   */
  readonly whole?: boolean
  readonly signal: AbortSignal
}

/**
 * The answer to a {@link HopRequest}: content decoded (gzip, br, deflate), body cut at `maxBytes`,
 * or empty if it is longer and wanted `whole`.
 */
export interface HopResponse {
  readonly status: number
  /** Lower-case names; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** True if the body was longer than `maxBytes`. */
  readonly truncated: boolean
  /**
   * True if nobody else holds the memory of the body, so that its last reader may give it back.
   * Absent: not known.
   */
  readonly isOwned?: boolean
  /** How long its parts took. Absent: not known. */
  readonly timings?: HopTimings
}

/** How long the parts of one exchange took, in ms. */
export interface HopTimings {
  /** The handshakes of TCP and TLS. Absent: the connection was there before, or not known. */
  readonly connectMs?: number
  /** From the request to the head of the answer, the handshakes included. */
  readonly firstByteMs?: number
}

/**
 * Carries single HTTP exchanges. Only the egress function calls it: it alone knows what may be
 * reached.
 */
export interface Fetcher {
  readonly capabilities: {
    /** `resolve` works and `send` connects to the given addresses only. */
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
