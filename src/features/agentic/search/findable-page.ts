import type { Records } from '../../records.ts'
import { countWords, wordsOf } from './rank.ts'
import type { FoundByRecord } from '../records.ts'
import { Change } from '../../../records/change.ts'

/** A page for the search index. */
interface FindablePage {
  readonly at: number
  readonly source: string
  readonly seq: number
  readonly id: string
  readonly url: string
  readonly title: string
  readonly text: string
  /** Number of its characters that are stored in other records. */
  readonly kept?: number
}

/** Number of characters of a page that are indexed and can be quoted. */
const FOUND_BY = 20_000
const QUOTED = 4_000

/** Adds a page to the index in a commit. */
export function addFindable(
  records: Records,
  change: Change,
  account: string,
  { text, kept = 0, ...page }: FindablePage,
  expiresAt?: number,
): void {
  const words = wordsOf(text.slice(0, FOUND_BY))
  const body = countWords(words)
  const excerpt = text.slice(0, QUOTED).toWellFormed()
  const title = page.title.slice(0, 500).toWellFormed()
  const { at, source, seq } = page
  records.foundBy.put(
    change,
    account,
    {
      ...page,
      title,
      head: countWords(wordsOf(title)),
      address: countWords(wordsOf(page.url)),
      body,
      length: words.length,
      size: kept + body.length + excerpt.length,
    },
    expiresAt,
  )
  records.excerpts.put(change, account, { at, source, seq, text: excerpt }, expiresAt)
}

const BATCH = 100

/**
 * Deletes the pages that are older than a given one, or all pages. For pages that agents have read,
 * the stored text is deleted too.
 */
export async function forgetPages(
  records: Records,
  account: string,
  than: FoundByRecord | null,
): Promise<void> {
  const before = than && [than.at, than.source, than.seq]
  for (;;) {
    const old = await records.foundBy.list(account, {
      reverse: true,
      limit: BATCH,
      ...(before && { before }),
    })
    if (old.length === 0) return
    const read = await records.readPages.getMany(
      account,
      old.map(({ value }) => [value.source]),
    )
    const change = new Change()
    for (const {
      value: { at, source, seq },
    } of old) {
      records.foundBy.drop(change, account, at, source, seq)
      records.excerpts.drop(change, account, at, source, seq)
    }
    for (const page of read) {
      if (!page) continue
      records.readPages.drop(change, account, page.value.id)
      for (let index = 0; index < page.value.pieces; index++)
        records.pagePieces.drop(change, account, page.value.id, index)
    }
    await records.commit(change)
  }
}

/** Matches the id of a page that an agent has read, and of a part of it. */
export const PART_ID = /^(page_\w+)(?:\.(\d{1,3}))?$/

/** True for the id of a page that was read. False for an address or an execution. */
export function isPageId(id: string): boolean {
  return PART_ID.test(id)
}
