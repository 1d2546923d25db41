import { isDataUrl } from '../../engine/media/data-url.ts'
import { mapMedia } from '../../engine/media/map-media.ts'
import type { MediaValue } from '../../engine/media/map-media.ts'
import { PICTURE } from '../../engine/recipe/columns.ts'
import type { MediaPath } from '../../engine/recipe/columns.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { Pace } from '../../kernel/pace.ts'
import type { MediaRecord, TakenMedia, WantedMedia } from '../../features/media/records.ts'
import { mediaLimit } from './media-keeper.ts'
import type { MediaLimits } from '../limits.ts'
import { Semaphore } from '../../kernel/concurrency.ts'

/** Media of one page. */
export interface PageMedia {
  /** All items to which the page's rows refer. Their bytes are stored. */
  readonly items: readonly MediaRecord[]
  /** Number and bytes of the items that no earlier page of the run has fetched. */
  readonly fetched: number
  readonly bytes: number
}

/** The media of a page without media. */
export const NO_MEDIA: PageMedia = { items: [], fetched: 0, bytes: 0 }

/** Options of a {@link MediaTaker}. */
export interface MediaTakerOptions {
  /** Fetches an item, in this process or another, and stores its bytes. */
  readonly fetch: (media: WantedMedia, signal: AbortSignal) => Promise<TakenMedia>
  /** Maximum number of items that are fetched at the same time. */
  readonly atOnce: number
  readonly limits: MediaLimits
  /** Counts of the media that the execution had fetched before this run. */
  readonly before: { readonly items: number; readonly bytes: number }
}

const PICTURES: readonly MediaPath[] = [PICTURE]
/** Maximum number of URLs whose item is remembered within a run. */
const MAX_REMEMBERED = 10_000

/**
 * Fetches the media that rows of a run refer to. Each URL is fetched once in a run. A failure is
 * written in the row and fails nothing else. Rejects only for the signal and for failures of the
 * stores.
 */
export class MediaTaker {
  readonly #options: MediaTakerOptions
  readonly #semaphore: Semaphore
  readonly #remembered = new Map<string, Promise<TakenMedia>>()
  #items: number
  #bytes: number

  constructor(options: MediaTakerOptions) {
    this.#options = options
    this.#semaphore = new Semaphore(options.atOnce)
    this.#items = options.before.items
    this.#bytes = options.before.bytes
  }

  /**
   * Returns the rows with `{ id, contentType, bytes, sourceUrl }`, or `{ sourceUrl, error }`, in
   * place of each reference. Rejects only for the signal and for failures of the stores.
   */
  async take(
    rows: readonly Row[],
    pageUrl: string,
    paths: readonly MediaPath[],
    signal: AbortSignal,
  ): Promise<{ rows: readonly Row[]; media: PageMedia }> {
    const urls = new Set<string>()
    const note = (value: MediaValue): Json => {
      urls.add(value.sourceUrl)
      return value
    }
    const pace = new Pace()
    for (const row of rows) {
      mapMedia(row, paths, note)
      const rest = pace.step()
      if (rest) await rest
    }
    if (urls.size === 0) return { rows, media: NO_MEDIA }
    const byUrl = new Map<string, TakenMedia>()
    let [fetched, bytes] = [0, 0]
    const { maxItemsPerPage } = this.#options.limits
    await Promise.all(
      [...urls].map(async (url, index) => {
        if (index >= maxItemsPerPage)
          return void byUrl.set(
            url,
            mediaLimit(url, `At most ${maxItemsPerPage} items of media are taken from one page`),
          )
        const remembered = this.#remembered.get(url)
        const medium = await (remembered ?? this.#remember(url, pageUrl, signal))
        byUrl.set(url, medium)
        if (remembered || medium.item === null) return
        fetched++
        bytes += medium.item.bytes
      }),
    )
    const items = new Map<string, MediaRecord>()
    for (const { item } of byUrl.values()) if (item) items.set(item.id, item)
    const filled: Row[] = []
    for (const row of rows) {
      filled.push(mapMedia(row, paths, (value) => valueOf(byUrl.get(value.sourceUrl))))
      const rest = pace.step()
      if (rest) await rest
    }
    return { rows: filled, media: { items: [...items.values()], fetched, bytes } }
  }

  /**
   * Returns the rows with their page's screenshot in place of each reference to one. The screenshot
   * is already stored.
   */
  async addPicture(
    rows: readonly Row[],
    picture: TakenMedia,
    pace = new Pace(),
  ): Promise<{ rows: readonly Row[]; media: PageMedia }> {
    const medium = (picture.item === null ? null : this.#refuse(picture.sourceUrl)) ?? picture
    const { item } = medium
    if (item !== null) {
      this.#items++
      this.#bytes += item.bytes
    }
    const filled: Row[] = []
    for (const row of rows) {
      filled.push(mapMedia(row, PICTURES, () => valueOf(medium)))
      const rest = pace.step()
      if (rest) await rest
    }
    return {
      rows: filled,
      media: item === null ? NO_MEDIA : { items: [item], fetched: 1, bytes: item.bytes },
    }
  }

  #refuse(url: string): TakenMedia | null {
    const { limits } = this.#options
    if (this.#items >= limits.maxItemsPerExecution)
      return mediaLimit(
        url,
        `At most ${limits.maxItemsPerExecution} items of media are taken in one execution`,
      )
    if (this.#bytes >= limits.maxBytesPerExecution)
      return mediaLimit(
        url,
        `At most ${limits.maxBytesPerExecution} bytes of media are taken in one execution`,
      )
    return null
  }

  #remember(url: string, pageUrl: string, signal: AbortSignal): Promise<TakenMedia> {
    const taking = this.#semaphore.run(() => this.#takeOne(url, pageUrl, signal))
    // A `data:` URL would be held in memory with its content.
    if (isDataUrl(url)) return taking
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(url, taking)
    // A failure that does not come from the site, such as a store that is down, is tried again for
    // the next page.
    taking.catch(() => this.#remembered.delete(url))
    return taking
  }

  async #takeOne(url: string, pageUrl: string, signal: AbortSignal): Promise<TakenMedia> {
    signal.throwIfAborted()
    const refusal = this.#refuse(url)
    if (refusal) return refusal
    this.#items++
    const medium = await this.#options.fetch({ url, pageUrl }, signal)
    if (medium.item !== null) this.#bytes += medium.item.bytes
    return medium
  }
}

/** True if rows have a place for their page's screenshot. */
export function wantsPicture(rows: readonly Row[]): boolean {
  return rows.some((row) => mapMedia(row, PICTURES, () => null) !== row)
}

function valueOf(medium: TakenMedia | undefined): Json {
  if (!medium) return null
  const { sourceUrl } = medium
  if (medium.item === null)
    return { sourceUrl, error: { code: medium.error.code, message: medium.error.message } }
  const { id, contentType, bytes } = medium.item
  return { id, contentType, bytes, sourceUrl }
}
