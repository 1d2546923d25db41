import { FairGate } from '../../kernel/fair/fair-gate.ts'
import type { FairGateOptions } from '../../kernel/fair/fair-gate.ts'
import { placedStream } from '../../kernel/placed-stream.ts'
import type { PlacedStreamOptions, ReaderClock } from '../../kernel/placed-stream.ts'

/** How many of something run at the same time in one process. */
export type ShareOptions = Partial<Omit<FairGateOptions, 'name'>>

/** What of a process's time and memory accounts share, as a host sets it. */
export interface SharesOptions {
  /**
   * Previews, detection, and the `fetch` and `search` of agents. Default: 16 places, 8 an account;
   * 32 of each wait.
   */
  readonly looks?: ShareOptions
  /** Exports and statements that are being downloaded. Default: 256, 64 an account; nobody waits. */
  readonly downloads?: ShareOptions
  /** Media files that are being sent. Default: 64 places, 32 an account; 256 of each wait. */
  readonly media?: ShareOptions
  /**
   * Lists of rows, items and changes, one of which may be tens of megabytes. Default: 16 places, 4
   * an account; 128 of each wait.
   */
  readonly answers?: ShareOptions
  /**
   * Streams of events, and waits for a run. Default: 5,000; how many an account has its plan says
   * (`caps.streams`).
   */
  readonly streams?: Pick<ShareOptions, 'places'>
  /**
   * What readers of all of these have to take: one that is behind for so long is cut off. Default:
   * 60 seconds, and 8,192 bytes a second in the long run.
   */
  readonly readers?: { readonly patienceSeconds?: number; readonly bytesPerSecond?: number }
}

/** The gates of one process. */
export interface Shares {
  readonly looks: FairGate
  readonly downloads: FairGate
  /** Pieces of downloads that are being made. A slow reader has no place here while it reads. */
  readonly pieces: FairGate
  readonly media: FairGate
  /** Answers that may be large, until they are sent; a small one leaves as soon as it is made. */
  readonly answers: FairGate
  readonly streams: FairGate
  /** A stream that holds a place of one of these, as long as its reader takes what there is. */
  stream(
    source: Omit<PlacedStreamOptions, 'clock' | 'limits'>,
  ): ReadableStream<Uint8Array<ArrayBuffer>>
}

/**
 * Opens the gates of a process.
 *
 * @throws {RangeError} for places that are none
 */
export function createShares(
  clock: ReaderClock,
  { looks, downloads, media, answers, streams, readers = {} }: SharesOptions = {},
): Shares {
  const limits = {
    patienceMs: (readers.patienceSeconds ?? 60) * 1_000,
    bytesPerSecond: readers.bytesPerSecond ?? 8_192,
  }
  if (!(limits.patienceMs > 0 && limits.bytesPerSecond > 0))
    throw new RangeError('shares.readers: patienceSeconds and bytesPerSecond must be above 0')
  return {
    stream: (source) => placedStream({ ...source, clock, limits }),
    looks: new FairGate({
      name: 'previews and fetches',
      places: 16,
      each: 8,
      waiting: 32,
      ...looks,
    }),
    downloads: new FairGate({ name: 'downloads', places: 256, each: 64, waiting: 0, ...downloads }),
    // As many wait as there are downloads, one for each.
    pieces: new FairGate({ name: 'pieces of downloads', places: 8, each: 4, waiting: Infinity }),
    media: new FairGate({ name: 'media files', places: 64, each: 32, waiting: 256, ...media }),
    // As many wait as the rate of a minute allows at once.
    answers: new FairGate({ name: 'large lists', places: 16, each: 4, waiting: 128, ...answers }),
    streams: new FairGate({
      name: 'event streams',
      places: 5_000,
      each: 5_000,
      waiting: 0,
      ...streams,
    }),
  }
}
