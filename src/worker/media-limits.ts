import { isDataUrl, withoutData } from '../engine/media/data-url.ts'
import type { TakenMedia } from '../records/media-records.ts'

/** What of media may be taken, at most. */
export interface MediaLimits {
  /**
   * Bytes of one item. Default 20 MiB: it is held in memory whole while it is taken and while it is
   * served.
   */
  readonly maxBytes: number
  /** Items of one page. Default 100. */
  readonly maxItemsPerPage: number
  /** Items that one execution fetches. Default 10,000. */
  readonly maxItemsPerExecution: number
  /** Bytes of all of these together. Default 2 GiB. */
  readonly maxBytesPerExecution: number
}

const MIB = 1024 * 1024

/** The limits where a host does not set its own. */
export const DEFAULT_MEDIA_LIMITS: MediaLimits = {
  maxBytes: 20 * MIB,
  maxItemsPerPage: 100,
  maxItemsPerExecution: 10_000,
  maxBytesPerExecution: 2_048 * MIB,
}

/** What a row says of an item that a limit leaves out. */
export function mediaLimit(url: string, message: string): TakenMedia {
  return {
    sourceUrl: isDataUrl(url) ? withoutData(url) : url,
    item: null,
    error: { code: 'media_limit', message },
  }
}
