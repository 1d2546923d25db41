import type { Change } from '../../../records/change.ts'
import type { Records } from '../../../records/records.ts'
import { countWords } from './word-counts.ts'
import { wordsOf } from './words.ts'

/** A page to be found. */
export interface FindablePage {
  readonly at: number
  readonly source: string
  readonly seq: number
  readonly id: string
  readonly url: string
  readonly title: string
  readonly text: string
  /** Characters that are kept of it elsewhere. */
  readonly kept?: number
}

/** Characters of a page that it can be found by, and that can be quoted. */
const FOUND_BY = 20_000
const QUOTED = 4_000

/** Adds a page to a commit. */
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
