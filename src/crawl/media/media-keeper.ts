import { imageSize, sniffType } from '../../engine/media/sniff.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { mediaId } from '../../engine/media/link-media.ts'
import type { MediaRecord, TakenMedia, WantedMedia } from '../../features/media/records.ts'
import type { Records } from '../../features/records.ts'
import { putMedia } from './put-media.ts'
import { Semaphore } from '../../kernel/concurrency.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import { fetchPage, refererOf } from '../../engine/visit/fetch-page.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { isDataUrl, readDataUrl, withoutData } from '../../engine/media/data-url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Reason } from '../../features/executions/records.ts'

/** Options of a {@link MediaKeeper}. */
interface MediaKeeperOptions extends MediaFetcherOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly account: string
  /** The account's identifier in names of blobs. */
  readonly owner: string
  readonly execution: string
}

/** Maximum number of items that a process fetches and has in memory at the same time. */
export const AT_ONCE = 4

/**
 * Fetches media and stores the bytes, once for each account, under their digest, before any record
 * refers to them. Rejects only for the signal and for failures of the stores.
 */
export class MediaKeeper {
  readonly #options: MediaKeeperOptions
  readonly #semaphore = new Semaphore(AT_ONCE)

  constructor(options: MediaKeeperOptions) {
    this.#options = options
  }

  /** Fetches an item as soon as its host may be requested. */
  fetch({ url, pageUrl }: WantedMedia, signal: AbortSignal): Promise<TakenMedia> {
    return this.#take(() => fetchMedia(url, pageUrl, this.#options, signal))
  }

  /** Fetches an item whose request the caller has reserved. */
  fetchReserved({ url, pageUrl }: WantedMedia, signal: AbortSignal): Promise<TakenMedia> {
    return this.#take(() => fetchReserved(url, pageUrl, this.#options, signal))
  }

  /** Stores the screenshot of a page; `null`: the page has no screenshot. */
  async keepPicture(picture: Uint8Array | null, pageUrl: string): Promise<TakenMedia> {
    if (picture === null)
      return {
        sourceUrl: pageUrl,
        item: null,
        error: { code: 'not_rendered', message: 'The page was not rendered in a browser' },
      }
    const { maxBytes } = this.#options
    if (picture.length > maxBytes)
      return mediaLimit(pageUrl, `A picture of ${picture.length} bytes is larger than ${maxBytes}`)
    return this.#keep(picture.slice(), {
      kind: 'screenshot',
      contentType: 'image/png',
      sourceUrl: pageUrl,
    })
  }

  #take(load: () => Promise<FetchedMedia>): Promise<TakenMedia> {
    return this.#semaphore.run(async () => {
      const answer = await load()
      const { sourceUrl } = answer
      if (answer.error) return { sourceUrl, item: null, error: answer.error }
      const body = answer.body.slice()
      return this.#keep(body, {
        kind: null,
        contentType: sniffType(body, answer.contentType),
        sourceUrl,
      })
    })
  }

  /** Stores bytes. `kind` is used if the content type does not say it. */
  async #keep(
    body: Uint8Array<ArrayBuffer>,
    {
      kind,
      contentType,
      sourceUrl,
    }: Pick<MediaRecord, 'contentType' | 'sourceUrl'> & { readonly kind: 'screenshot' | null },
  ): Promise<TakenMedia> {
    const { account, execution, records, blobs, owner, clock } = this.#options
    const sha256 = await sha256Hex(body)
    const stored = await records.media.get(account, mediaId(sha256))
    if (stored) return { sourceUrl, item: stored.value }
    // The generation is read after the record. If the content has no record because it was deleted,
    // its next generation is already stored.
    const deleted = await records.mediaDeletions.get(account, mediaId(sha256))
    const generation = deleted ? { generation: deleted.value.count } : {}
    const put = { execution, id: mediaId(sha256), sha256, owner, ...generation }
    await putMedia({ records, blobs, clock, account }, put, body)
    const size = imageSize(body, contentType)
    const item: MediaRecord = {
      id: mediaId(sha256),
      kind: kind ?? (contentType.startsWith('image/') ? 'image' : 'file'),
      sha256,
      owner,
      contentType,
      bytes: body.length,
      width: size?.width ?? null,
      height: size?.height ?? null,
      sourceUrl,
      firstSeenAt: clock.now(),
      ...generation,
    }
    return { sourceUrl, item }
  }
}

/** Bytes with their source, or the reason why there are no bytes. */
type FetchedMedia =
  | {
      readonly error: null
      readonly sourceUrl: string
      readonly body: Uint8Array
      readonly contentType: string
    }
  | { readonly error: Reason; readonly sourceUrl: string }

/** Options of fetching media. */
interface MediaFetcherOptions {
  readonly egress: Egress
  /** `null`: robots.txt is not asked. */
  readonly robots: Robots | null
  readonly clock: Clock
  readonly politeness: Politeness
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Longest pause, in ms, that a host may ask for. With a longer one the item is not fetched. */
const MAX_PAUSE_MS = 30_000

/**
 * Fetches the bytes that a page refers to, with the politeness of page fetches. The recipe's
 * headers are not sent, because they are for its pages. `Referer` is set as browsers set it.
 * Rejects only for the signal.
 */
async function fetchMedia(
  url: string,
  pageUrl: string,
  options: MediaFetcherOptions,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const { clock, politeness } = options
  if (isDataUrl(url)) return readData(url, options.maxBytes)
  const requestAt = politeness.reserve(url)
  if (requestAt > clock.now()) await clock.sleep(requestAt - clock.now(), signal)
  const pause = politeness.pausedUntil(url) - clock.now()
  if (pause > MAX_PAUSE_MS)
    return {
      sourceUrl: url,
      error: { code: 'host_paused', message: 'The host asked for a long pause' },
    }
  if (pause > 0) await clock.sleep(pause, signal)
  return fetchReserved(url, pageUrl, options, signal)
}

/** The same as {@link fetchMedia}, when the caller has reserved the request. */
async function fetchReserved(
  url: string,
  pageUrl: string,
  options: MediaFetcherOptions,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const { egress, maxBytes } = options
  // A reference comes from a row, where it is only a text.
  const target = normaliseUrl(url)
  if (target === null) return { sourceUrl: url, error: NO_URL }
  const fetched = await fetchPage(target, {
    ...options,
    signal,
    headers: refererOf(pageUrl, target),
    egress: (request) => egress({ ...request, purpose: 'media', maxBytes }),
  })
  if (fetched.outcome !== 'fetched') return { sourceUrl: url, error: fetched.reason }
  const { body, headers } = fetched.response
  if (body.length === 0) return { sourceUrl: url, error: EMPTY }
  return { sourceUrl: url, error: null, body, contentType: headers['content-type'] ?? '' }
}

const NO_URL: Reason = { code: 'invalid_url', message: 'This is not a valid URL.' }
const EMPTY: Reason = { code: 'empty', message: 'It is empty' }

function readData(url: string, maxBytes: number): FetchedMedia {
  const sourceUrl = withoutData(url)
  const data = readDataUrl(url)
  if (data === null)
    return { sourceUrl, error: { code: 'invalid_url', message: 'This is not a valid data URL' } }
  if (data.body.length === 0) return { sourceUrl, error: EMPTY }
  if (data.body.length > maxBytes)
    return {
      sourceUrl,
      error: { code: 'too_large', message: `It is longer than ${maxBytes} bytes` },
    }
  return { sourceUrl, error: null, ...data }
}

/** Returns the value of a row for an item that a limit left out. */
export function mediaLimit(url: string, message: string): TakenMedia {
  return {
    sourceUrl: isDataUrl(url) ? withoutData(url) : url,
    item: null,
    error: { code: 'media_limit', message },
  }
}
