import { createPoliteness } from '../../engine/site/politeness.ts'
import { fetchPage, refererOf } from '../../engine/visit/fetch-page.ts'
import { withoutAddresses } from '../../engine/point/view.ts'
import { toBase64 } from '../../kernel/bytes.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { PageFile } from '../../ports/page-processor.ts'
import { Change } from '../../records/change.ts'
import type { WebAccess } from '../common/web-access.ts'
import type { Core } from '../core.ts'
import type { SnapshotFileRecord, SnapshotRecord } from './records.ts'
import { imageSize, sniffType } from '../../engine/media/sniff.ts'

/** Maximum number of bytes of one style sheet or picture. */
const MOST_BYTES = 400_000
/** Maximum number of characters of all files of a snapshot, as they are stored. */
const MOST_KEPT = 6_000_000
/** Number of characters after which an answer ends. */
const MOST_ANSWER = 2_000_000
/** A limit above the number of files of any page. */
const MOST = 200
/** Number of characters of a part. Each may have three bytes. */
const PART = 60_000
const TIMEOUT_MS = 8_000
/** Files that are requested at the same time: fewer than a browser would. */
const AT_ONCE = 4
const NEVER = new AbortController().signal

/** A style sheet or a picture of a snapshot, as callers see it. */
export interface SnapshotFile extends Pick<PageFile, 'kind' | 'url' | 'elements' | 'position'> {
  /** The text of a style sheet, or a picture as a `data:` URL. `null`: there is a `reason`. */
  readonly content: string | null
  readonly reason: string | null
}

/** Loads files of snapshots. */
export interface SnapshotFiles {
  /**
   * Returns the files of a snapshot from an index on: `limit` of them, or fewer if they are large.
   * Each file is requested only once.
   */
  load(
    account: string,
    snapshot: SnapshotRecord,
    files: readonly PageFile[],
    part: { readonly from: number; readonly limit: number },
    signal: AbortSignal | undefined,
  ): Promise<SnapshotFile[]>
  /** Drops all files of a snapshot. */
  drop(change: Change, account: string, snapshot: string): Promise<void>
}

type Loaded = { readonly content: string } | { readonly reason: string }

/** Opens the files of snapshots. */
export function openSnapshotFiles({ records, shares }: Core, web: WebAccess): SnapshotFiles {
  const { egress, robots, clock } = web
  // The files of a page are requested at the same time, as in a browser, because a person waits for
  // them.
  const politeness = createPoliteness({ clock, delayMs: 0 })
  const owner = (snapshot: string, index: number): string => `${snapshot}/${index}`
  const partsOf = (record: SnapshotFileRecord) =>
    Array.from({ length: record.parts }, (_, part) => [owner(record.snapshot, record.file), part])

  const request = async (file: PageFile, from: string, signal: AbortSignal): Promise<Loaded> => {
    const url = normaliseUrl(file.url)
    if (url === null) return { reason: 'This is not a valid URL' }
    const fetched = await fetchPage(url, {
      egress: (hop) => egress({ ...hop, purpose: 'media', maxBytes: MOST_BYTES }),
      robots,
      clock,
      politeness,
      headers: refererOf(from, url),
      timeoutMs: TIMEOUT_MS,
      tries: 1,
      signal,
    })
    if (fetched.outcome !== 'fetched') return { reason: fetched.reason.message }
    const { body, headers } = fetched.response
    const declared = headers['content-type'] ?? ''
    if (file.kind === 'style') return styleOf(file, body, declared)
    const type = pictureType(body, declared)
    if (type === null) return { reason: 'This is not a picture that can be shown' }
    return { content: `data:${type};base64,${toBase64(body)}` }
  }

  const keep = async (
    account: string,
    { id: snapshot, expiresAt }: SnapshotRecord,
    index: number,
    loaded: Loaded,
  ): Promise<void> => {
    const content = 'content' in loaded ? loaded.content : ''
    const change = new Change()
    const parts = Math.ceil(content.length / PART)
    const reason = 'reason' in loaded ? loaded.reason : null
    const record = { snapshot, file: index, size: content.length, parts, reason }
    records.snapshotFiles.put(change, account, record, expiresAt)
    for (let part = 0; part < parts; part++) {
      const data = content.slice(part * PART, (part + 1) * PART)
      const key = owner(snapshot, index)
      records.snapshotParts.put(change, account, { snapshot: key, part, data }, expiresAt)
    }
    await records.commit(change)
  }

  const contentOf = async (account: string, record: SnapshotFileRecord): Promise<Loaded> => {
    if (record.reason !== null) return { reason: record.reason }
    const parts = await records.snapshotParts.getMany(account, partsOf(record))
    return { content: parts.map((part) => part?.value.data ?? '').join('') }
  }

  return {
    async load(account, snapshot, files, { from, limit }, signal = NEVER) {
      const listed = await records.snapshotFiles.list(account, {
        within: [snapshot.id],
        limit: MOST,
      })
      const byIndex = new Map(listed.map(({ value }) => [value.file, value]))
      let total = listed.reduce((all, { value }) => all + value.size, 0)
      const read = async (file: PageFile, index: number): Promise<Loaded> => {
        const record = byIndex.get(index)
        if (record !== undefined) return contentOf(account, record)
        if (total >= MOST_KEPT) return { reason: 'The page has too many files to show them all' }
        const loaded = await shares.media.run(
          account,
          () => request(file, snapshot.url, signal),
          signal,
        )
        total += 'content' in loaded ? loaded.content.length : 0
        await keep(account, snapshot, index, loaded)
        return loaded
      }
      const items: SnapshotFile[] = []
      const end = Math.min(files.length, from + limit)
      let size = 0
      for (let start = from; start < end && size < MOST_ANSWER; start += AT_ONCE) {
        const next = files
          .slice(start, Math.min(end, start + AT_ONCE))
          .map(async (file, offset): Promise<SnapshotFile> => {
            const { kind, url, elements, position } = file
            const loaded = await read(file, start + offset)
            return { kind, url, content: null, reason: null, elements, position, ...loaded }
          })
        for (const item of await Promise.all(next)) {
          size += item.content?.length ?? 0
          items.push(item)
        }
      }
      return items
    },
    async drop(change, account, snapshot) {
      const files = await records.snapshotFiles.list(account, { within: [snapshot], limit: MOST })
      for (const { value } of files) {
        for (const id of partsOf(value)) records.snapshotParts.drop(change, account, ...id)
        records.snapshotFiles.drop(change, account, snapshot, value.file)
      }
    },
  }
}

/** Returns a style sheet without addresses, limited to the media that its link names. */
function styleOf({ media }: PageFile, body: Uint8Array, declared: string): Loaded {
  // Otherwise an error page would be read as a style sheet.
  if (!/^text\/css\b/i.test(declared)) return { reason: 'This is not a style sheet' }
  const text = withoutAddresses(new TextDecoder().decode(body))
  return { content: media === null ? text : `@media ${media} {${text}\n}` }
}

/**
 * Maximum number of pixels of a picture. A small file can have so many that they do not fit a
 * browser's memory.
 */
const MOST_PIXELS = 16_000_000
const MOST_SVG = 50_000
const SVG = 'image/svg+xml'
/**
 * Matches parts of an SVG that may repeat or load something, animate, run scripts, or name
 * entities.
 */
const NOT_PLAIN = new RegExp(
  String.raw`<!(?!--)|<\?(?!xml\s)|<(?:[\w-]{1,40}:)?(?:use|image|feimage|filter|pattern|mask|marker|` +
    String.raw`foreignobject|script|style|set|animate\w{0,40}|a)[\s/>]|url\(|\bon\w{1,40}\s{0,40}=`,
  'i',
)

/**
 * The media type of a picture that a browser can show safely and quickly. `null` for all other
 * files, such as AVIF, whose size is not at a fixed position.
 *
 * @param declared Value of its `Content-Type`
 */
function pictureType(bytes: Uint8Array, declared: string): string | null {
  const type = sniffType(bytes, declared)
  if (type === SVG) return isPlainSvg(bytes) ? type : null
  const size = imageSize(bytes, type)
  return size !== null && size.width * size.height <= MOST_PIXELS ? type : null
}

/** True for an SVG that only draws: no references, no scripts, no entities. */
function isPlainSvg(bytes: Uint8Array): boolean {
  return bytes.length <= MOST_SVG && !NOT_PLAIN.test(new TextDecoder().decode(bytes))
}
