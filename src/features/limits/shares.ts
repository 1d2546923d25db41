import { FairGate } from '../../kernel/fair/fair-gate.ts'
import type { FairGateOptions } from '../../kernel/fair/fair-gate.ts'
import { withDefaults } from '../../kernel/options.ts'
import { placedStream } from '../../kernel/placed-stream.ts'
import type { PlacedStreamOptions, ReaderClock } from '../../kernel/placed-stream.ts'

/** Limits of one semaphore of a process. */
export type ShareOptions = Partial<Omit<FairGateOptions, 'name'>>

/** The application's settings for time and memory of a process that accounts share. */
export interface SharesOptions {
  /**
   * Previews, detection, and the agents' `fetch` and `search`. Default: `places` 16, `each` 8,
   * `waiting` 32.
   */
  readonly inspections?: ShareOptions
  /** Downloads of exports and statements. Default: `places` 256, `each` 64, `waiting` 0. */
  readonly downloads?: ShareOptions
  /** Transfers of media files. Default: `places` 64, `each` 32, `waiting` 256. */
  readonly media?: ShareOptions
  /**
   * Lists of rows, items and changes. One list may have tens of megabytes. Default: `places` 16,
   * `each` 4, `waiting` 128.
   */
  readonly answers?: ShareOptions
  /**
   * Event streams, and waits for a run. Default: `places` 5,000. An account's limit is in its plan
   * (`caps.streams`).
   */
  readonly streams?: Pick<ShareOptions, 'places'>
  /**
   * Minimum speed of all these readers. A reader that is slower for `patienceSeconds` is
   * disconnected. Default: 60 seconds, and 8,192 bytes a second on average.
   */
  readonly readers?: { readonly patienceSeconds?: number; readonly bytesPerSecond?: number }
}

/** The places of one process, shared between accounts. */
export interface Shares {
  readonly inspections: FairGate
  readonly downloads: FairGate
  /**
   * Pieces of downloads that are being generated. A slow reader holds no place here while it
   * reads.
   */
  readonly pieces: FairGate
  readonly media: FairGate
  /**
   * Responses that may be large, until they are sent. A small one releases its place as soon as it
   * is built.
   */
  readonly answers: FairGate
  readonly streams: FairGate
  /** A stream that holds a place as long as its reader keeps reading. */
  stream(
    source: Omit<PlacedStreamOptions, 'clock' | 'limits'>,
  ): ReadableStream<Uint8Array<ArrayBuffer>>
}

/**
 * Opens the semaphores of a process.
 *
 * @throws {RangeError} for an invalid number of places
 */
export function createShares(
  clock: ReaderClock,
  { inspections, downloads, media, answers, streams, readers = {} }: SharesOptions = {},
): Shares {
  const limits = {
    patienceMs: (readers.patienceSeconds ?? 60) * 1_000,
    bytesPerSecond: readers.bytesPerSecond ?? 8_192,
  }
  if (!(limits.patienceMs > 0 && limits.bytesPerSecond > 0))
    throw new RangeError('shares.readers: patienceSeconds and bytesPerSecond must be above 0')
  return {
    stream: (source) => placedStream({ ...source, clock, limits }),
    inspections: gate(
      { name: 'previews and fetches', places: 16, each: 8, waiting: 32 },
      inspections,
    ),
    downloads: gate({ name: 'downloads', places: 256, each: 64, waiting: 0 }, downloads),
    // No limit: a download has at most one waiting piece.
    pieces: gate({ name: 'pieces of downloads', places: 8, each: 4, waiting: Infinity }),
    media: gate({ name: 'media files', places: 64, each: 32, waiting: 256 }, media),
    // The rate limit allows this number of calls at once, so all of them may wait.
    answers: gate({ name: 'large lists', places: 16, each: 4, waiting: 128 }, answers),
    streams: gate({ name: 'event streams', places: 5_000, each: 5_000, waiting: 0 }, streams),
  }
}

function gate(defaults: FairGateOptions, options?: ShareOptions): FairGate {
  return new FairGate(withDefaults(defaults, options))
}
