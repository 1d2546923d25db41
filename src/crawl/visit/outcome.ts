import type { ReportedPage } from '../../features/executions/crawl-records.ts'
import type { FrontierRecord, Outcome, Reason } from '../../features/executions/records.ts'
import { NO_MEDIA } from '../media/media-taker.ts'
import type { PageMedia } from '../media/media-taker.ts'
import type { FetchedPage } from './pack-page.ts'
import { jsonWeight } from '../../kernel/json-pieces.ts'

/** What became of one visited URL, before it is committed. */
export interface PageOutcome extends ReportedPage {
  readonly entry: FrontierRecord
  readonly media: PageMedia
  /** The page itself, where the recipe wants it kept, or read again. */
  readonly kept?: FetchedPage
  /** It was not requested: an earlier execution has fetched it. */
  readonly cached?: boolean
  /** Where another process visited it: its assignment and its report, by the helper's number. */
  readonly errand?: { readonly hand: string; readonly number: number; readonly report: number }
}

/** An outcome without content. */
export function emptyOutcome(
  entry: FrontierRecord,
  outcome: Outcome,
  reason: Reason | null,
  facts: Partial<Pick<PageOutcome, 'httpStatus' | 'finalUrl' | 'bytes' | 'durationMs'>> = {},
): PageOutcome {
  return {
    entry,
    outcome,
    reason,
    httpStatus: null,
    finalUrl: null,
    bytes: 0,
    durationMs: 0,
    rows: [],
    links: [],
    filled: {},
    extracted: false,
    media: NO_MEDIA,
    rendered: false,
    ...facts,
  }
}

/**
 * Characters that the rows of one page may have as JSON: a text of half a gigabyte can be neither
 * made nor written.
 */
const MOST_CHARACTERS = 64 * 1_024 * 1_024
/** What a link counts: a group of them takes as long to settle as so many bytes take to write. */
const LINK_BYTES = 1_000

/**
 * A page as it can be committed, and about how much there is to write of it. One that cannot be
 * written is `failed`, which is an outcome of its own. Nothing is written here: that is done in
 * slices, with the commit.
 */
export function writablePage(page: PageOutcome): {
  readonly page: PageOutcome
  readonly size: number
} {
  let size = 0
  try {
    for (const row of page.rows) {
      size += jsonWeight(row, MOST_CHARACTERS - size)
      if (size >= MOST_CHARACTERS)
        return unwritable(
          page,
          'page_too_large',
          `The rows of the page have more than ${MOST_CHARACTERS} characters`,
        )
    }
  } catch (error) {
    // A value that holds itself.
    return unwritable(
      page,
      'page_not_writable',
      `The rows of the page cannot be written: ${String(error).slice(0, 200)}`,
    )
  }
  return { page, size: size + page.links.length * LINK_BYTES + (page.kept?.body.length ?? 0) }
}

function unwritable(
  { entry, httpStatus, finalUrl, bytes, durationMs, errand: assignment }: PageOutcome,
  code: string,
  message: string,
): { readonly page: PageOutcome; readonly size: number } {
  return {
    page: {
      ...emptyOutcome(
        entry,
        'failed',
        { code, message },
        { httpStatus, finalUrl, bytes, durationMs },
      ),
      ...(assignment && { errand: assignment }),
    },
    size: 0,
  }
}
