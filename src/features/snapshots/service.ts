import { checkedSelector } from '../../engine/extract/select/parse-selector.ts'
import { fromBase64Url, joined, toBase64, toBase64Url } from '../../kernel/bytes.ts'
import { badRequest, notFound, PlatformError } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type {
  OpenPages,
  Page,
  PageCandidates,
  PageView,
  PointedElements,
} from '../../ports/page-processor.ts'
import { Change } from '../../records/change.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import { isoTime } from '../common/time.ts'
import type { WebAccess } from '../common/web-access.ts'
import type { Core } from '../core.ts'
import { openSnapshotFiles } from './files.ts'
import type { SnapshotFile } from './files.ts'
import type { SnapshotRecord } from './records.ts'

/** How long a page is kept, in ms. */
const KEPT_MS = 3_600_000
/** Maximum number of pages that an account keeps. The oldest are deleted first. */
const MOST_KEPT = 20
/** Maximum number of bytes of a compressed page, or of its screenshot. A larger one is not kept. */
const MOST_BYTES = 2_000_000
const PART_BYTES = 180_000

/** A snapshot as callers see it. */
export interface Snapshot extends Omit<PageView, 'files'> {
  readonly id: string
  /** The final URL. */
  readonly url: string
  readonly expiresAt: string
  /** The window of the browser that rendered it, as a `data:` URL of a PNG. */
  readonly screenshot: string | null
}

/** A page, and its screenshot if a browser rendered it. */
export interface PageToKeep extends Page {
  /** PNG. */
  readonly screenshot?: Uint8Array | null
}

/** Pages that previews have kept for a while, so that they can be read again without a visit. */
export interface Snapshots {
  /** Keeps a page. `null`: it is too large. */
  keep(account: string, page: PageToKeep): Promise<string | null>
  /**
   * Returns a kept page.
   *
   * @throws {PlatformError} 404
   */
  open(account: string, id: string): Promise<Page>
  /**
   * Returns a page for a user to look at.
   *
   * @throws {PlatformError} 404, and 422 for a page that is too expensive to read
   */
  get(principal: Principal, id: string, signal?: AbortSignal): Promise<Snapshot>
  /**
   * Lists the style sheets and pictures of a page. Files that were not requested before are
   * requested now.
   *
   * @throws {PlatformError} as {@link Snapshots.get}, and 400 for an invalid cursor
   */
  files(
    principal: Principal,
    id: string,
    query: ListQuery,
    signal?: AbortSignal,
  ): Promise<ListPage<SnapshotFile>>
  /**
   * Proposes selectors for elements of a page.
   *
   * @throws {PlatformError} as {@link Snapshots.get}, and 400 for items that are not a selector
   */
  point(
    principal: Principal,
    id: string,
    pointed: PointedElements,
    signal?: AbortSignal,
  ): Promise<PageCandidates>
}

/** The service of snapshots. */
export function createSnapshots(core: Core, web: WebAccess): Snapshots {
  const { records, clock, ids, shares, cursors } = core
  const stored = openSnapshotFiles(core, web)
  /** The bytes that are kept under a name. `null`: they have expired. */
  const partsOf = async (account: string, owner: string, count: number) => {
    const keys = Array.from({ length: count }, (_, part) => [owner, part])
    const parts = (await records.snapshotParts.getMany(account, keys)).flatMap(
      (part) => (part && fromBase64Url(part.value.data)) ?? [],
    )
    return parts.length === count ? parts : null
  }
  const read = async (account: string, id: string): Promise<[SnapshotRecord, Page]> => {
    const record = (await records.snapshots.get(account, id))?.value
    const parts = record && (await partsOf(account, id, record.parts))
    // Its parts expire together with it, or a moment earlier.
    if (!record || !parts) throw notFound('Snapshot')
    const { url, requestedUrl, status, contentType, visitedAt } = record
    const body = await unpacked(parts)
    return [record, { url, requestedUrl, status, contentType, visitedAt, body }]
  }

  const pictureOf = async (account: string, record: SnapshotRecord): Promise<string | null> => {
    const { id, screenshotParts: count = 0 } = record
    const parts = count === 0 ? null : await partsOf(account, screenshotOf(id), count)
    return parts && `data:image/png;base64,${toBase64(await bytesOf(new Blob(parts).stream()))}`
  }

  const ask = <T>(
    account: string,
    question: (pages: OpenPages) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> =>
    shares.inspections.run(
      account,
      async () => {
        const pages = (await web.pagesOf(account)).openPages()
        try {
          return await question(pages)
        } catch (error) {
          if (!(error instanceof PageFailure)) throw error
          throw new PlatformError(
            'UNPROCESSABLE_CONTENT',
            `${error.message}. Name the fields yourself, or look at a shorter page`,
            { cause: error },
          )
        } finally {
          pages.close()
        }
      },
      signal,
    )

  return {
    async keep(account, page) {
      const bytes = await packed(page.body)
      if (bytes.length > MOST_BYTES) return null
      const [id, now] = [ids('snap'), clock.now()]
      const expiresAt = now + KEPT_MS
      const change = new Change()
      const older = await records.snapshots.list(account, { limit: 2 * MOST_KEPT, reverse: true })
      for (const { value } of older.slice(MOST_KEPT - 1)) {
        records.snapshots.drop(change, account, value.id)
        await stored.drop(change, account, value.id)
        for (let part = 0; part < value.parts; part++)
          records.snapshotParts.drop(change, account, value.id, part)
        for (let part = 0; part < (value.screenshotParts ?? 0); part++)
          records.snapshotParts.drop(change, account, screenshotOf(value.id), part)
      }
      const put = (snapshot: string, all: Uint8Array): number => {
        const count = Math.ceil(all.length / PART_BYTES)
        for (let part = 0; part < count; part++) {
          const data = toBase64Url(all.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
          records.snapshotParts.put(change, account, { snapshot, part, data }, expiresAt)
        }
        return count
      }
      const parts = put(id, bytes)
      const { screenshot } = page
      const screenshotParts =
        screenshot && screenshot.length <= MOST_BYTES ? put(screenshotOf(id), screenshot) : 0
      const { url, requestedUrl = url, status = 200, contentType, visitedAt = now } = page
      const facts = { id, url, requestedUrl, status, contentType, visitedAt, expiresAt, parts }
      const record = { ...facts, ...(screenshotParts > 0 && { screenshotParts }) }
      records.snapshots.put(change, account, record, expiresAt)
      return (await records.commit(change)) ? id : null
    },
    open: async (account, id) => (await read(account, id))[1],
    async get({ account }, id, signal) {
      const [record, page] = await read(account, id)
      const { url, expiresAt } = record
      const { files: _, ...view } = await ask(account, (pages) => pages.view(page, signal), signal)
      const screenshot = await pictureOf(account, record)
      return { id, url, expiresAt: isoTime(expiresAt), ...view, screenshot }
    },
    async files({ account }, id, query, signal) {
      const context = { account, operation: 'snapshots.files', filter: id }
      const [record, page] = await read(account, id)
      const { files } = await ask(account, (pages) => pages.view(page, signal), signal)
      return readPage(cursors, context, query, async (after, limit) => {
        const from = after === null ? 0 : Number(after[0])
        const items = await stored.load(account, record, files, { from, limit }, signal)
        const end = from + items.length
        return { items, next: end < files.length ? [end] : null }
      })
    },
    async point({ account }, id, pointed, signal) {
      if (pointed.items !== undefined) checkItems(pointed.items)
      const [, page] = await read(account, id)
      return ask(account, (pages) => pages.point({ ...page, pointed }, signal), signal)
    },
  }
}

/** @throws {PlatformError} 400 for a selector of items that is not CSS */
function checkItems(items: string): void {
  const issues: Issue[] = []
  checkedSelector(items, 'items', issues)
  if (issues.length > 0) throw badRequest(issues)
}

/** The name under which a snapshot's screenshot is kept. */
function screenshotOf(id: string): string {
  return `${id}/screenshot`
}

async function packed(body: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(body)]).stream()
  return bytesOf(stream.pipeThrough(new CompressionStream('gzip')))
}

async function unpacked(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  return bytesOf(new Blob([...parts]).stream().pipeThrough(new DecompressionStream('gzip')))
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    parts.push(part)
    length += part.length
  }
  return joined(parts, length)
}
