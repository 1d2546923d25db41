import { keyOf, linkMedia, mediaTargets, mediaId } from '../../engine/media/link-media.ts'
import { mediaName } from '../../engine/media/media-types.ts'
import type { MediaPath } from '../../engine/recipe/columns.ts'
import { PlatformError, notFound } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/json.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Shares } from '../limits/shares.ts'
import type { MediaTarget } from '../../ports/row-work.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { mediaBlob } from './records.ts'
import type { MediaRecord } from './records.ts'
import { demandActive, standingOf } from '../common/account-status.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { BY_TIME } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { isoTime } from '../common/time.ts'
import { mediaPath } from './links.ts'
import type { MediaLinks } from './links.ts'
import type { Core } from '../core.ts'

/** A media item with a link to its bytes. */
export interface MediaItem extends Omit<
  MediaRecord,
  'owner' | 'firstSeenAt' | 'counted' | 'generation'
> {
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
  /** Lists media items by the time they were first seen, newest first. */
  list(principal: Principal, query?: CreatedQuery, base?: LinkBase): Promise<ListPage<MediaItem>>
  /** @throws {PlatformError} 404 */
  get(principal: Principal, id: string, base?: LinkBase): Promise<MediaItem>
  /**
   * Deletes an item: its links end at once, and its bytes are erased soon afterwards. Rows keep
   * their facts about it.
   *
   * @throws {PlatformError} 404
   */
  delete(
    principal: Principal,
    id: string,
    preconditions?: Preconditions,
  ): Promise<{ readonly id: string; readonly deleted: true }>
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
   * `paths`: the positions of media in the rows.
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

/** Stores the times of items of earlier versions. This is done once for each account. */
async function timeEarlier(records: Records, account: string): Promise<void> {
  if (await records.mediaTimed.get(account, 'all')) return
  for await (const page of eachPage(records.media, account))
    for (const stored of page) {
      const change = new Change()
      // If an item is deleted meanwhile, its time must not stay.
      records.media.require(change, account, stored)
      const { firstSeenAt, id } = stored.value
      records.mediaTimes.put(change, account, { firstSeenAt, id })
      await records.commit(change)
    }
  const change = new Change()
  records.mediaTimed.put(change, account, { id: 'all' })
  await records.commit(change)
}

/** The service of media. `fixed`: the base URL of all links. Absent: the caller gives it. */
export function createMedia(core: Core, links: MediaLinks, fixed?: string): Media {
  const { records, blobs, clock, shares, accountStatus } = core
  const sign: Media['sign'] = async (account, targets, base) => {
    const signed: (readonly [MediaTarget, string])[] = []
    // Links are signed in groups, because a part of an export may have thousands.
    for (let position = 0; position < targets.length; position += SIGNED_AT_ONCE) {
      const some = targets.slice(position, position + SIGNED_AT_ONCE)
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
  const itemOf = async (
    account: string,
    record: MediaRecord,
    base?: LinkBase,
  ): Promise<MediaItem> => {
    const { owner: _, firstSeenAt, counted: _counted, generation: _generation, ...item } = record
    const name = mediaName(item.sourceUrl, item.contentType)
    const { path, expiresAt } = await links.sign(account, { sha256: item.sha256, name })
    return {
      ...item,
      name,
      firstSeenAt: isoTime(firstSeenAt),
      url: urlOf(path, base),
      urlExpiresAt: isoTime(expiresAt),
    }
  }
  return {
    async list({ account }, query = {}, base) {
      await timeEarlier(records, account)
      return listRecords(core, {
        account,
        operation: 'media.list',
        query,
        // Cursors of earlier versions, which listed items by id, are no longer valid.
        filter: ['firstSeenAt'],
        source: {
          collection: records.mediaTimes,
          keys: BY_TIME,
          timeOf: ({ firstSeenAt }) => firstSeenAt,
        },
        async show(times) {
          const items = await records.media.getMany(
            account,
            times.map(({ id }) => [id]),
          )
          return Promise.all(
            items.flatMap((item) => (item ? [itemOf(account, item.value, base)] : [])),
          )
        },
      })
    },

    async get({ account }, id, base) {
      const stored = await records.media.get(account, id)
      if (!stored) throw notFound('Media item')
      return itemOf(account, stored.value, base)
    },

    async delete({ account }, id, preconditions) {
      const { deleteItem } = await import('./delete-items.ts')
      const data = { id, deleted: true } as const
      if (!(await deleteItem(core, account, id, data, preconditions))) throw notFound('Media item')
      return data
    },

    async open(path, token) {
      const { owner, sha256, name } = path
      if (!LINKED.owner.test(owner) || !LINKED.sha256.test(sha256) || !LINKED.name.test(name))
        throw notFound('Media item')
      const expiresAt = await links.check(mediaPath(owner, path), token)
      if (expiresAt === null)
        throw new PlatformError('FORBIDDEN', 'This link is not valid, or it has expired')
      const whose = await records.mediaOwners.get(SYSTEM, owner)
      if (whose) demandActive(await standingOf(accountStatus, whose.value.account))
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
          const content = await blobs.get(mediaBlob(stored.value))
          if (content?.length !== bytes)
            throw new Error(
              `Media item ${mediaId(sha256)} is ${content ? 'damaged' : 'missing'}: blob ${mediaBlob(stored.value)}`,
            )
          return content
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
