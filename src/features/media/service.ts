import { keyOf, linkMedia, mediaTargets, mediaId } from '../../engine/media/link-media.ts'
import { mediaName } from '../../engine/media/media-types.ts'
import type { MediaPath } from '../../engine/recipe/columns.ts'
import { PlatformError, notFound } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Shares } from '../limits/shares.ts'
import type { MediaTarget } from '../../ports/row-work.ts'
import { SYSTEM } from '../../records/collection.ts'
import { mediaBlob } from './records.ts'
import type { MediaRecord } from './records.ts'
import { isoTime } from '../common/time.ts'
import { mediaPath } from './links.ts'
import type { MediaLinks } from './links.ts'
import type { Core } from '../core.ts'

/** A media item with a link to its bytes. */
export interface MediaItem extends Omit<MediaRecord, 'owner' | 'firstSeenAt'> {
  /** File name that the link suggests. */
  readonly name: string
  readonly firstSeenAt: string
  /** URL of the bytes, valid for anyone without a credential until `urlExpiresAt`. */
  readonly url: string
  readonly urlExpiresAt: string
}

/** Base URL of links, such as `https://data.example.com`. Called only if there is a link to make. */
export type LinkBase = () => string

/** The bytes of a link. */
export interface MediaFile extends Pick<MediaRecord, 'sha256' | 'contentType' | 'bytes'> {
  readonly name: string
  /** Remaining lifetime of the link, in seconds. */
  readonly secondsLeft: number
  /**
   * Takes one of the permits that media files share. Returns a function that releases it.
   *
   * @internal
   */
  enter(signal: AbortSignal): Promise<() => void>
  /**
   * A stream that holds such a permit.
   *
   * @internal
   */
  readonly stream: Shares['stream']
  read(): Promise<Uint8Array>
}

/** Media of pages, and links to them. */
export interface Media {
  /** @throws {PlatformError} 404 */
  get(principal: Principal, id: string, base?: LinkBase): Promise<MediaItem>
  /**
   * Opens the item of a link, for anyone who has the link.
   *
   * @throws {PlatformError} 403 for a token that is expired or of another path; 404
   */
  open(
    path: { readonly owner: string; readonly sha256: string; readonly name: string },
    token: string,
  ): Promise<MediaFile>
  /**
   * Adds a fresh `url` to the media values of rows. With `flat`, the value is the URL alone.
   * `paths`: where the rows have media.
   */
  linkRows(
    account: string,
    rows: readonly Row[],
    paths: readonly MediaPath[],
    options?: { readonly base?: LinkBase | undefined; readonly flat?: boolean },
  ): Promise<readonly Row[]>
  /** Makes fresh links to items of an account. */
  sign(
    account: string,
    targets: readonly MediaTarget[],
    base?: LinkBase,
  ): Promise<(readonly [MediaTarget, string])[]>
}

const SIGNED_AT_ONCE = 100

/** Characters allowed in linked parts. A path with any other part matches no item. */
const LINKED = {
  owner: /^[\w-]{22}$/,
  sha256: /^[\da-f]{64}$/,
  name: /^[\w-]{1,60}\.[a-z\d]{1,8}$/,
}

/**
 * The service of media.
 *
 * @throws {TypeError} for an invalid `baseUrl`
 */
export function createMedia(
  { records, blobs, clock, shares }: Core,
  links: MediaLinks,
  baseUrl?: string,
): Media {
  const fixed = baseUrl === undefined ? null : checkedBase(baseUrl)
  const sign: Media['sign'] = async (account, targets, base) => {
    const signed: (readonly [MediaTarget, string])[] = []
    // Signed in groups: a part of an export may have thousands.
    for (let at = 0; at < targets.length; at += SIGNED_AT_ONCE) {
      const some = targets.slice(at, at + SIGNED_AT_ONCE)
      signed.push(
        ...(await Promise.all(
          some.map(
            async (target) =>
              [target, urlOf((await links.sign(account, target)).path, base)] as const,
          ),
        )),
      )
    }
    return signed
  }
  const urlOf = (path: string, base?: LinkBase): string => (fixed ?? base?.() ?? '') + path
  return {
    async get({ account }, id, base) {
      const stored = await records.media.get(account, id)
      if (!stored) throw notFound('Media item')
      const { owner: _, firstSeenAt, ...item } = stored.value
      const name = mediaName(item.sourceUrl, item.contentType)
      const { path, expiresAt } = await links.sign(account, { sha256: item.sha256, name })
      return {
        ...item,
        name,
        firstSeenAt: isoTime(firstSeenAt),
        url: urlOf(path, base),
        urlExpiresAt: isoTime(expiresAt),
      }
    },

    async open(path, token) {
      const { owner, sha256, name } = path
      if (!LINKED.owner.test(owner) || !LINKED.sha256.test(sha256) || !LINKED.name.test(name))
        throw notFound('Media item')
      const expiresAt = await links.check(mediaPath(owner, path), token)
      if (expiresAt === null)
        throw new PlatformError('FORBIDDEN', 'This link is not valid, or it has expired')
      const whose = await records.mediaOwners.get(SYSTEM, owner)
      const stored = whose && (await records.media.get(whose.value.account, mediaId(sha256)))
      if (!stored) throw notFound('Media item')
      const { contentType, bytes } = stored.value
      return {
        sha256,
        name,
        contentType,
        bytes,
        secondsLeft: Math.max(0, Math.floor((expiresAt - clock.now()) / 1_000)),
        enter: (signal) => shares.media.enter(whose.value.account, { signal }),
        stream: shares.stream,
        async read() {
          const found = await blobs.get(mediaBlob(stored.value))
          if (found?.length !== bytes)
            throw new Error(
              `Media item ${mediaId(sha256)} is ${found ? 'damaged' : 'missing'}: blob ${mediaBlob(stored.value)}`,
            )
          return found
        },
      }
    },

    async linkRows(account, rows, paths, { base, flat = false } = {}) {
      if (paths.length === 0) return rows
      const urls = new Map(
        (await sign(account, mediaTargets(rows, paths), base)).map(([target, url]) => [
          keyOf(target),
          url,
        ]),
      )
      return rows.map((row) => linkMedia(row, paths, urls, flat))
    },
    sign,
  }
}

function checkedBase(baseUrl: string): string {
  const url = URL.parse(baseUrl)
  if (
    url === null ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError(
      `media.baseUrl: ${JSON.stringify(baseUrl)} is not a URL that links can start with; ` +
        'write it like https://data.example.com',
    )
  return baseUrl.replace(/(?<!\/)\/+$/, '')
}
