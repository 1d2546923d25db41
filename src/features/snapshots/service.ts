import { checkedSelector } from '../../engine/extract/select/parse-selector.ts'
import { fromBase64Url, joined, toBase64Url } from '../../kernel/bytes.ts'
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
/** Pages that an account keeps at a time: the oldest give way. */
const MOST_KEPT = 20
/** Bytes of a page, packed. A larger one is not kept. */
const MOST_BYTES = 2_000_000
const PART_BYTES = 180_000

/** A snapshot as callers see it. */
export interface Snapshot extends Omit<PageView, 'files'> {
  readonly id: string
  /** The final URL. */
  readonly url: string
  readonly expiresAt: string
}

/** Pages that previews kept for a while, so that they can be asked again without a visit. */
export interface Snapshots {
  /** Keeps a page. `null`: it is too large. */
  keep(account: string, page: Page): Promise<string | null>
  /**
   * Returns a page as it was kept.
   *
   * @throws {PlatformError} 404
   */
  open(account: string, id: string): Promise<Page>
  /**
   * Returns a page to be looked at.
   *
   * @throws {PlatformError} 404, and 422 for a page that is too expensive to read
   */
  get(principal: Principal, id: string, signal?: AbortSignal): Promise<Snapshot>
  /**
   * Lists the style sheets and pictures of a page. Those that nobody has asked for are requested.
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
  const read = async (account: string, id: string): Promise<[SnapshotRecord, Page]> => {
    const record = (await records.snapshots.get(account, id))?.value
    const packedParts =
      record &&
      (await records.snapshotParts.getMany(
        account,
        Array.from({ length: record.parts }, (_, part) => [id, part]),
      ))
    const parts = packedParts?.flatMap((part) => (part && fromBase64Url(part.value.data)) ?? [])
    // Its parts end with it, or a moment earlier.
    if (!record || parts?.length !== record.parts) throw notFound('Snapshot')
    const { url, requestedUrl, status, contentType, visitedAt } = record
    const body = await unpacked(parts)
    return [record, { url, requestedUrl, status, contentType, visitedAt, body }]
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
      }
      const parts = Math.ceil(bytes.length / PART_BYTES)
      const { url, requestedUrl = url, status = 200, contentType, visitedAt = now } = page
      const record = { id, url, requestedUrl, status, contentType, visitedAt, expiresAt, parts }
      records.snapshots.put(change, account, record, expiresAt)
      for (let part = 0; part < parts; part++) {
        const data = toBase64Url(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
        records.snapshotParts.put(change, account, { snapshot: id, part, data }, expiresAt)
      }
      return (await records.commit(change)) ? id : null
    },
    open: async (account, id) => (await read(account, id))[1],
    async get({ account }, id, signal) {
      const [{ url, expiresAt }, page] = await read(account, id)
      const { files: _, ...view } = await ask(account, (pages) => pages.view(page, signal), signal)
      return { id, url, expiresAt: isoTime(expiresAt), ...view }
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

/** @throws {PlatformError} 400 for items that are not of CSS */
function checkItems(items: string): void {
  const issues: Issue[] = []
  checkedSelector(items, 'items', issues)
  if (issues.length > 0) throw badRequest(issues)
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
