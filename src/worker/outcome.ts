import type { ReportedPage } from '../records/crew-records.ts'
import type { FrontierRecord, Outcome, Reason } from '../records/types.ts'
import { NO_MEDIA } from './media-taker.ts'
import type { PageMedia } from './media-taker.ts'
import type { FetchedPage } from './pack-page.ts'

/** What became of one visited URL, before it is committed. */
export interface PageOutcome extends ReportedPage {
  readonly entry: FrontierRecord
  readonly media: PageMedia
  /** The page itself, where the recipe wants it kept, or read again. */
  readonly kept?: FetchedPage
  /** It was not requested: an earlier execution has fetched it. */
  readonly cached?: boolean
  /** Where another process visited it: its errand and its report, by the helper's number. */
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
