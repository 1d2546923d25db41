import { imageSize, sniffType } from '../engine/media/sniff.ts'
import { sha256Hex } from '../kernel/crypto.ts'
import type { Blobs } from '../ports/blobs.ts'
import { mediaId } from '../engine/media/link-media.ts'
import { mediaBlob } from '../records/media-records.ts'
import type { MediaRecord, TakenMedia, WantedMedia } from '../records/media-records.ts'
import type { Records } from '../records/records.ts'
import { fetchInTurn, fetchMedia } from './media-fetcher.ts'
import type { FetchedMedia, MediaFetcherOptions } from './media-fetcher.ts'
import { mediaLimit } from './media-limits.ts'
import { Slots } from '../kernel/semaphore.ts'

/** What a {@link MediaKeeper} works with. */
export interface MediaKeeperOptions extends MediaFetcherOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly account: string
  /** What stands for the account in names of blobs. */
  readonly owner: string
}

/** Items that a process fetches, and holds in memory, at the same time. */
export const AT_ONCE = 4

/**
 * Fetches media, and stores the bytes once an account, under their digest, before any record speaks
 * of them. Rejects for the signal and the stores alone.
 */
export class MediaKeeper {
  readonly #options: MediaKeeperOptions
  readonly #slots = new Slots(AT_ONCE)

  constructor(options: MediaKeeperOptions) {
    this.#options = options
  }

  /** Waits for the turn of the item's host first. */
  fetch({ url, pageUrl }: WantedMedia, signal: AbortSignal): Promise<TakenMedia> {
    return this.#take(() => fetchMedia(url, pageUrl, this.#options, signal))
  }

  /** Its host's turn has been taken. */
  fetchInTurn({ url, pageUrl }: WantedMedia, signal: AbortSignal): Promise<TakenMedia> {
    return this.#take(() => fetchInTurn(url, pageUrl, this.#options, signal))
  }

  /** The picture of a page; `null`: there is none. */
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
    return this.#slots.run(async () => {
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

  /** `kind`, where the type does not tell it. */
  async #keep(
    body: Uint8Array<ArrayBuffer>,
    {
      kind,
      contentType,
      sourceUrl,
    }: Pick<MediaRecord, 'contentType' | 'sourceUrl'> & { readonly kind: 'screenshot' | null },
  ): Promise<TakenMedia> {
    const { account, records, blobs, owner, clock } = this.#options
    const sha256 = await sha256Hex(body)
    const known = await records.media.get(account, mediaId(sha256))
    if (known) return { sourceUrl, item: known.value }
    await blobs.put(mediaBlob({ owner, sha256 }), body)
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
    }
    return { sourceUrl, item }
  }
}
