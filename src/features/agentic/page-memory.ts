import { PlatformError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/id.ts'
import type { ReadPageRecord } from './records.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'
import type { ReadPage } from './read-page.ts'
import { PART_ID, addFindable } from './search/findable-page.ts'
import type { PageIndex } from './search/page-index.ts'
import { DAY_MS, inDays } from '../../kernel/time.ts'
import { UNTRUSTED } from './tool-schema.ts'
import type { ToolResult } from './tool-schema.ts'

/** A part of a page, in the form of a `fetch` result. */
type PagePart = ToolResult<'fetch'>

/** Stores the pages that an account's agents have read, for a limited time. */
export interface PageMemory {
  /** The first part of a page, and a function that adds the page and its search words to a commit. */
  keep(
    account: string,
    page: ReadPage,
    now: number,
  ): { readonly part: PagePart; readonly write: (change: Change) => void }
  /**
   * Reads a part by its id: the id of a page, or a `nextId`.
   *
   * @throws {PlatformError} 404
   */
  part(account: string, id: string): Promise<PagePart>
  /**
   * Deletes the oldest pages if there are too many. Only a few pages trigger the check, because the
   * limits need not be exact.
   */
  tidy(account: string, id: string): Promise<void>
}

/** Matches about one in sixteen identifiers, because their last characters are random. */
const SAMPLED = /[0G]$/

/** Opens the page memory. `pageDays`: how long it keeps a page. */
export function createPageMemory({
  records,
  ids,
  index,
  pageDays,
}: {
  readonly records: Records
  readonly ids: Ids
  readonly index: PageIndex
  readonly pageDays: number
}): PageMemory {
  return {
    keep(account, page, now) {
      const { pieces, isCut } = splitText(page.text)
      const { url } = page
      const id = ids('page')
      const title = page.title.slice(0, 500).toWellFormed()
      const record: ReadPageRecord = {
        id,
        url,
        title,
        at: now,
        metadata: { ...page.metadata, ...(isCut && { truncated: true }) },
        pieces: pieces.length,
      }
      const expiresAt = now + pageDays * DAY_MS
      return {
        part: partOf(record, 0, pieces[0] ?? ''),
        write(change) {
          records.readPages.put(change, account, record, expiresAt)
          pieces.forEach((text, nth) =>
            records.pagePieces.put(change, account, { page: id, index: nth, text }, expiresAt),
          )
          addFindable(
            records,
            change,
            account,
            {
              at: now,
              source: id,
              seq: 0,
              id,
              url,
              title,
              text: page.text,
              kept: page.text.length,
            },
            expiresAt,
          )
        },
      }
    },

    async part(account, id) {
      const [, page = '', partText = '0'] = PART_ID.exec(id) ?? []
      const part = Number(partText)
      const [record, piece] = await Promise.all([
        records.readPages.get(account, page),
        records.pagePieces.get(account, page, part),
      ])
      if (!record || !piece)
        throw new PlatformError(
          'NOT_FOUND',
          'This page, or this part of it, was not found: fetched pages are kept for ' +
            `${inDays(pageDays)}. Fetch its URL again`,
        )
      return partOf(record.value, part, piece.value.text)
    },

    async tidy(account, id) {
      if (SAMPLED.test(id)) await index.trim(account)
    },
  }
}

function partOf(
  { id, title, url, metadata, pieces }: ReadPageRecord,
  index: number,
  text: string,
): PagePart {
  const next = index + 1 < pieces ? { nextId: `${id}.${index + 1}` } : {}
  return {
    id: index === 0 ? id : `${id}.${index}`,
    title,
    text,
    url,
    metadata: { ...metadata, part: index + 1, parts: pieces, ...next },
    notice: UNTRUSTED,
  }
}

/** Limit of one part in tokens, by estimate: 24,000 characters of English. */
const TOKENS = 6_000
const MOST_PIECES = 40
/**
 * First code point of the scripts in which each character counts as one token: Han, Kana, Hangul
 * and all after them.
 */
const IDEOGRAPHS = 0x2e80

/**
 * Splits a text at the end of a paragraph, a line or a word, into parts that fit a context.
 * `isCut`: the text was longer than the stored part.
 */
export function splitText(text: string): {
  readonly pieces: readonly string[]
  readonly isCut: boolean
} {
  const pieces: string[] = []
  let start = 0
  for (;;) {
    const reach = reachOf(text, start)
    if (reach === text.length) return { pieces: [...pieces, text.slice(start)], isCut: false }
    if (pieces.length === MOST_PIECES - 1)
      return { pieces: [...pieces, text.slice(start, endOf(text, start, reach))], isCut: true }
    const end = endOf(text, start, reach)
    pieces.push(text.slice(start, end))
    start = end
  }
}

/**
 * The largest end of a part. A token is about four letters of English, two of other alphabets, and
 * one character of Chinese.
 */
function reachOf(text: string, start: number): number {
  let quarters = 0
  for (let position = start; position < text.length; position++) {
    const code = text.charCodeAt(position)
    quarters += code < 0x80 ? 1 : code < IDEOGRAPHS ? 2 : 4
    if (quarters > TOKENS * 4) return position
  }
  return text.length
}

function endOf(text: string, start: number, reach: number): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const position = text.lastIndexOf(mark, reach - mark.length)
    if (position > start + (reach - start) / 2) return position + mark.length
  }
  // A surrogate pair must not be split.
  const last = text.charCodeAt(reach - 1)
  return last >= 0xd800 && last < 0xdc00 ? reach - 1 : reach
}
