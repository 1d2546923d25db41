import { mapMedia } from '../../engine/media/map-media.ts'
import type { MediaValue } from '../../engine/media/map-media.ts'
import { mediaName } from '../../engine/media/media-name.ts'
import type { MediaPath } from '../../engine/recipe/media-paths.ts'
import { PlatformError, notFound } from '../../kernel/errors.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/route.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Shares } from '../common/shares.ts'
import type { Clock } from '../../ports/clock.ts'
import { SYSTEM } from '../../records/collection.ts'
import { mediaBlob, mediaId } from '../../records/media-records.ts'
import type { MediaRecord } from '../../records/media-records.ts'
import type { Records } from '../../records/records.ts'
import { isoTime } from '../iso-time.ts'
import { mediaPath } from './links.ts'
import type { MediaLinks } from './links.ts'

/** A media item with a link to its bytes. */
export interface MediaItem extends Omit<MediaRecord, 'owner' | 'firstSeenAt'> {
  /** File name that the link proposes. */
  readonly name: string
  readonly firstSeenAt: string
  /** Where the bytes can be had by anyone, without a credential, until `urlExpiresAt`. */
  readonly url: string
  readonly urlExpiresAt: string
}

/** Where links begin, such as `https://data.example.com`; asked only where there is a link to make. */
export type LinkBase = () => string

/** Bytes that a link leads to. */
export interface MediaFile extends Pick<MediaRecord, 'sha256' | 'contentType' | 'bytes'> {
  readonly name: string
  /** How long the link is still good for. */
  readonly secondsLeft: number
  /** Takes one of the places that media files share, and gives what frees it. */
  enter(signal: AbortSignal): Promise<() => void>
  read(): Promise<Uint8Array>
}

/** Bytes taken from pages, and links to them. */
export interface Media {
  /** @throws {PlatformError} 404 */
  read(principal: Principal, id: string, base?: LinkBase): Promise<MediaItem>
  /**
   * What a link leads to, for whoever has it.
   *
   * @throws {PlatformError} 403 for a token that is over or not of this path, 404
   */
  open(path: { readonly owner: string; readonly sha256: string; readonly name: string }, token: string): Promise<MediaFile>
  /** Rows whose media values have a fresh `url`; with `flat`, are nothing else. `paths`: where they have them. */
  linkRows(account: string, rows: readonly Row[], paths: readonly MediaPath[], options?: { readonly base?: LinkBase | undefined; readonly flat?: boolean }): Promise<readonly Row[]>
}

/** What {@link createMedia} works with. */
export interface MediaServiceOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly links: MediaLinks
  readonly clock: Clock
  /** Where links begin, whatever a call says. */
  readonly baseUrl?: string
  readonly shares: Shares
}

/** What links are made of; a path with anything else leads nowhere. */
const LINKED = { owner: /^[\w-]{22}$/, sha256: /^[\da-f]{64}$/, name: /^[\w-]{1,60}\.[a-z\d]{1,8}$/ }

/** The service of media. @throws {TypeError} for a `baseUrl` that is none */
export function createMedia({ records, blobs, links, clock, shares, baseUrl }: MediaServiceOptions): Media {
  const fixed = baseUrl === undefined ? null : checkedBase(baseUrl)
  const urlOf = (path: string, base?: LinkBase): string => (fixed ?? base?.() ?? '') + path
  return {
    async read({ account }, id, base) {
      const stored = await records.media.get(account, id)
      if (!stored) throw notFound('Media item')
      const { owner: _, firstSeenAt, ...item } = stored.value
      const name = mediaName(item.sourceUrl, item.contentType)
      const { path, expiresAt } = await links.sign(account, { sha256: item.sha256, name })
      return { ...item, name, firstSeenAt: isoTime(firstSeenAt), url: urlOf(path, base), urlExpiresAt: isoTime(expiresAt) }
    },

    async open(path, token) {
      const { owner, sha256, name } = path
      if (!LINKED.owner.test(owner) || !LINKED.sha256.test(sha256) || !LINKED.name.test(name)) throw notFound('Media item')
      const expiresAt = await links.check(mediaPath(owner, path), token)
      if (expiresAt === null) throw new PlatformError('FORBIDDEN', 'This link is not valid, or its time is over')
      const whose = await records.mediaOwners.get(SYSTEM, owner)
      const stored = whose && (await records.media.get(whose.value.account, mediaId(sha256)))
      if (!stored) throw notFound('Media item')
      const { contentType, bytes } = stored.value
      return {
        sha256, name, contentType, bytes,
        secondsLeft: Math.max(0, Math.floor((expiresAt - clock.now()) / 1_000)),
        enter: (signal) => shares.media.enter(whose.value.account, { signal }),
        async read() {
          const found = await blobs.get(mediaBlob(stored.value))
          if (found?.length !== bytes) throw new Error(`Media item ${mediaId(sha256)} is ${found ? 'damaged' : 'missing'}: blob ${mediaBlob(stored.value)}`)
          return found
        },
      }
    },

    async linkRows(account, rows, paths, { base, flat = false } = {}) {
      if (paths.length === 0) return rows
      const urls = new Map<string, Promise<string>>()
      const note = (value: MediaValue): Json => {
        const target = targetOf(value)
        const key = target && keyOf(target)
        if (target && key && !urls.has(key)) urls.set(key, links.sign(account, target).then(({ path }) => urlOf(path, base)))
        return value
      }
      for (const row of rows) mapMedia(row, paths, note)
      const made = new Map(await Promise.all([...urls].map(async ([key, url]) => [key, await url] as const)))
      return rows.map((row) => mapMedia(row, paths, (value) => linked(value, made, flat)))
    },
  }
}

interface Target {
  readonly sha256: string
  readonly name: string
}

function linked(value: MediaValue, urls: ReadonlyMap<string, string>, flat: boolean): Json {
  const target = targetOf(value)
  const url = target && urls.get(keyOf(target))
  if (flat) return url ?? null
  if (!url) return value
  const { id = null, ...facts } = value
  return { id, url, ...facts }
}

/** `null` for a value whose bytes were not taken. */
function targetOf({ id, contentType, sourceUrl }: MediaValue): Target | null {
  if (typeof id !== 'string' || typeof contentType !== 'string') return null
  const sha256 = id.slice(mediaId('').length)
  return LINKED.sha256.test(sha256) && id === mediaId(sha256) ? { sha256, name: mediaName(sourceUrl, contentType) } : null
}

function keyOf({ sha256, name }: Target): string {
  return `${sha256}/${name}`
}

function checkedBase(baseUrl: string): string {
  const url = URL.parse(baseUrl)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.search !== '' || url.hash !== '') throw new TypeError(`media.baseUrl: ${JSON.stringify(baseUrl)} is no URL to begin links with; write it as in https://data.example.com`)
  return baseUrl.replace(/(?<!\/)\/+$/, '')
}
