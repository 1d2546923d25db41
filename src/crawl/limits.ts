const MIB = 1024 * 1024

/** Default limit of the archived pages of one execution, in stored bytes: 1 GiB. */
export const MAX_KEPT_BYTES = 1_024 * MIB

/** Limits of media. */
export interface MediaLimits {
  /**
   * Maximum number of bytes of one item. Default 20 MiB. An item is in memory as a whole while it
   * is fetched and served.
   */
  readonly maxBytes: number
  /** Items of one page. Default 100. */
  readonly maxItemsPerPage: number
  /** Maximum number of items that one execution fetches. Default 10,000. */
  readonly maxItemsPerExecution: number
  /** Maximum number of bytes of all these items together. Default 2 GiB. */
  readonly maxBytesPerExecution: number
}

/** The default limits of media. */
export const DEFAULT_MEDIA_LIMITS: MediaLimits = {
  maxBytes: 20 * MIB,
  maxItemsPerPage: 100,
  maxItemsPerExecution: 10_000,
  maxBytesPerExecution: 2_048 * MIB,
}
