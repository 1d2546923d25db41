import { isDataUrl, withoutData } from '../engine/media/data-url.ts'
import { imageSize } from '../engine/media/image-size.ts'
import { mapMedia } from '../engine/media/map-media.ts'
import type { MediaValue } from '../engine/media/map-media.ts'
import { sniffType } from '../engine/media/sniff-type.ts'
import { PICTURE } from '../engine/recipe/media-paths.ts'
import type { MediaPath } from '../engine/recipe/media-paths.ts'
import { sha256Hex } from '../kernel/digest.ts'
import type { Json, Row } from '../kernel/json.ts'
import type { Blobs } from '../ports/blobs.ts'
import { mediaBlob, mediaId } from '../records/media-records.ts'
import type { MediaRecord } from '../records/media-records.ts'
import type { Records } from '../records/records.ts'
import type { Reason } from '../records/types.ts'
import { fetchMedia } from './media-fetcher.ts'
import type { MediaFetcherOptions } from './media-fetcher.ts'
import type { MediaLimits } from './media-limits.ts'
import { Slots } from './slots.ts'

/** Media of one page. */
export interface PageMedia {
  /** Everything that the page's rows refer to; their bytes are stored. */
  readonly items: readonly MediaRecord[]
  /** What was fetched for this page first, in number and bytes. */
  readonly fetched: number
  readonly bytes: number
}

/** The media of a page that has none. */
export const NO_MEDIA: PageMedia = { items: [], fetched: 0, bytes: 0 }

/** What a {@link MediaTaker} works with. */
export interface MediaTakerOptions extends Omit<MediaFetcherOptions, 'maxBytes'> {
  readonly records: Records
  readonly blobs: Blobs
  readonly account: string
  /** What stands for the account in names of blobs. */
  readonly owner: string
  readonly limits: MediaLimits
  /** What the execution has fetched before. */
  readonly before: { readonly items: number; readonly bytes: number }
}

/** `sourceUrl`: as far as rows should show it. */
type Taken = { readonly sourceUrl: string } & ({ readonly item: MediaRecord } | { readonly item: null; readonly error: Reason })

const PICTURES: readonly MediaPath[] = [PICTURE]
/** Items that are fetched, and held in memory, at the same time. */
const AT_ONCE = 4
/** URLs whose item is remembered within a run. */
const MAX_REMEMBERED = 10_000

/**
 * Takes the bytes that the rows of a run's pages refer to. Each URL is fetched once a run; bytes are stored once an account, under
 * their digest, before any record speaks of them. What cannot be had is said in the row and fails nothing else.
 */
export class MediaTaker {
  readonly #options: MediaTakerOptions
  readonly #slots = new Slots(AT_ONCE)
  readonly #remembered = new Map<string, Promise<Taken>>()
  #items: number
  #bytes: number

  constructor(options: MediaTakerOptions) {
    this.#options = options
    this.#items = options.before.items
    this.#bytes = options.before.bytes
  }

  /** The rows with `{ id, contentType, bytes, sourceUrl }`, or `{ sourceUrl, error }`, in the place of each reference. Rejects for the signal and the stores alone. */
  async take(rows: readonly Row[], pageUrl: string, paths: readonly MediaPath[], signal: AbortSignal): Promise<{ rows: readonly Row[]; media: PageMedia }> {
    const wanted = new Set<string>()
    const note = (value: MediaValue): Json => {
      wanted.add(value.sourceUrl)
      return value
    }
    for (const row of rows) mapMedia(row, paths, note)
    if (wanted.size === 0) return { rows, media: NO_MEDIA }
    const found = new Map<string, Taken>()
    let [fetched, bytes] = [0, 0]
    const { maxItemsPerPage } = this.#options.limits
    await Promise.all(
      [...wanted].map(async (url, place) => {
        if (place >= maxItemsPerPage) return void found.set(url, refused(url, `Of one page at most ${maxItemsPerPage} items are taken`))
        const known = this.#remembered.get(url)
        const taken = await (known ?? this.#remember(url, pageUrl, signal))
        found.set(url, taken)
        if (known || taken.item === null) return
        fetched++
        bytes += taken.item.bytes
      }),
    )
    const items = new Map<string, MediaRecord>()
    for (const { item } of found.values()) if (item) items.set(item.id, item)
    return { rows: rows.map((row) => mapMedia(row, paths, (value) => valueOf(found.get(value.sourceUrl)))), media: { items: [...items.values()], fetched, bytes } }
  }

  /** The rows with the picture of their page in the place of each reference to one; `null`: none could be taken. */
  async keepPicture(rows: readonly Row[], picture: Uint8Array | null, pageUrl: string): Promise<{ rows: readonly Row[]; media: PageMedia }> {
    if (!rows.some((row) => mapMedia(row, PICTURES, () => null) !== row)) return { rows, media: NO_MEDIA }
    const taken = await this.#takePicture(picture, pageUrl)
    const media = taken.item === null ? NO_MEDIA : { items: [taken.item], fetched: 1, bytes: taken.item.bytes }
    return { rows: rows.map((row) => mapMedia(row, PICTURES, () => valueOf(taken))), media }
  }

  async #takePicture(picture: Uint8Array | null, pageUrl: string): Promise<Taken> {
    if (picture === null) return { sourceUrl: pageUrl, item: null, error: { code: 'not_rendered', message: 'The page was not rendered in a browser' } }
    const { maxBytes } = this.#options.limits
    if (picture.length > maxBytes) return refused(pageUrl, `A picture of ${picture.length} bytes is larger than ${maxBytes}`)
    const refusal = this.#refuse(pageUrl)
    if (refusal) return refusal
    this.#items++
    return this.#keep(picture.slice(), { kind: 'screenshot', contentType: 'image/png', sourceUrl: pageUrl })
  }

  #refuse(url: string): Taken | null {
    const { limits } = this.#options
    if (this.#items >= limits.maxItemsPerExecution) return refused(url, `Of one execution at most ${limits.maxItemsPerExecution} items are taken`)
    if (this.#bytes >= limits.maxBytesPerExecution) return refused(url, `Of one execution at most ${limits.maxBytesPerExecution} bytes of media are taken`)
    return null
  }

  #remember(url: string, pageUrl: string, signal: AbortSignal): Promise<Taken> {
    const taking = this.#slots.run(() => this.#takeOne(url, pageUrl, signal))
    // It would be held in memory with all that it contains.
    if (isDataUrl(url)) return taking
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(url, taking)
    // What was no answer of the site, such as a store that is away, may be tried again for the next page.
    taking.catch(() => this.#remembered.delete(url))
    return taking
  }

  async #takeOne(url: string, pageUrl: string, signal: AbortSignal): Promise<Taken> {
    signal.throwIfAborted()
    const refusal = this.#refuse(url)
    if (refusal) return refusal
    this.#items++
    const answer = await fetchMedia(url, pageUrl, { ...this.#options, maxBytes: this.#options.limits.maxBytes }, signal)
    const { sourceUrl } = answer
    if (answer.error) return { sourceUrl, item: null, error: answer.error }
    const body = answer.body.slice()
    return this.#keep(body, { kind: null, contentType: sniffType(body, answer.contentType), sourceUrl })
  }

  /** Stores bytes under their digest; `kind`, where the type does not tell it. */
  async #keep(body: Uint8Array<ArrayBuffer>, { kind, contentType, sourceUrl }: Pick<MediaRecord, 'contentType' | 'sourceUrl'> & { readonly kind: 'screenshot' | null }): Promise<Taken> {
    const { account, records, blobs, owner, clock } = this.#options
    this.#bytes += body.length
    const sha256 = await sha256Hex(body)
    const known = await records.media.get(account, mediaId(sha256))
    if (known) return { sourceUrl, item: known.value }
    await blobs.put(mediaBlob({ owner, sha256 }), body)
    const size = imageSize(body, contentType)
    const item: MediaRecord = {
      id: mediaId(sha256), kind: kind ?? (contentType.startsWith('image/') ? 'image' : 'file'), sha256, owner, contentType, bytes: body.length,
      width: size?.width ?? null, height: size?.height ?? null, sourceUrl, firstSeenAt: clock.now(),
    }
    return { sourceUrl, item }
  }
}

function refused(url: string, message: string): Taken {
  return { sourceUrl: isDataUrl(url) ? withoutData(url) : url, item: null, error: { code: 'media_limit', message } }
}

function valueOf(taken: Taken | undefined): Json {
  if (!taken) return null
  const { sourceUrl } = taken
  if (taken.item === null) return { sourceUrl, error: { code: taken.error.code, message: taken.error.message } }
  const { id, contentType, bytes } = taken.item
  return { id, contentType, bytes, sourceUrl }
}
