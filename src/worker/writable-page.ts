import type { Row } from '../kernel/json.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'

/** Characters that the rows of one page may have as JSON: a text of half a gigabyte can be neither made nor written. */
const MOST_CHARACTERS = 64 * 1_024 * 1_024

/** Rows that were written out once are not written out again for the store. */
const lines = new WeakMap<Row, string>()

/** A row as it is stored. */
export function lineOf(seq: number, row: Row): string {
  return `[${seq},${lines.get(row) ?? JSON.stringify(row)}]`
}

/** A page as it can be committed, and the characters of its rows. One that cannot be written is `failed`, which is an outcome of its own. */
export function writablePage(page: PageOutcome): { readonly page: PageOutcome; readonly size: number } {
  let size = 0
  try {
    for (const row of page.rows) {
      const line = JSON.stringify(row)
      size += line.length
      if (size > MOST_CHARACTERS) return unwritable(page, 'page_too_large', `The rows of the page have more than ${MOST_CHARACTERS} characters`)
      lines.set(row, line)
    }
    return { page, size }
  } catch (error) {
    // A value of more than half a gigabyte, or one that is no JSON.
    return unwritable(page, 'page_not_writable', `The rows of the page cannot be written: ${String(error).slice(0, 200)}`)
  }
}

function unwritable({ entry, httpStatus, finalUrl, bytes, durationMs, errand }: PageOutcome, code: string, message: string): { readonly page: PageOutcome; readonly size: number } {
  return { page: { ...emptyOutcome(entry, 'failed', { code, message }, { httpStatus, finalUrl, bytes, durationMs }), ...(errand && { errand }) }, size: 0 }
}
