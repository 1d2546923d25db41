import type { ReportedPage } from '../../features/executions/crawl-records.ts'
import type { FrontierRecord, Outcome, Reason } from '../../features/executions/records.ts'
import { NO_MEDIA } from '../media/media-taker.ts'
import type { PageMedia } from '../media/media-taker.ts'
import type { PackedFetch } from '../../features/executions/pack-page.ts'
import { jsonWeight, weightInSlices } from '../../kernel/json-pieces.ts'
import { Pace } from '../../kernel/pace.ts'

/** The outcome of one visited URL, before it is committed. */
export interface VisitOutcome extends ReportedPage {
  readonly entry: FrontierRecord
  readonly media: PageMedia
  /** The page itself, for recipes that keep pages or reuse cached ones. */
  readonly kept?: PackedFetch
  /** True if the page was not requested, because an earlier execution fetched it. */
  readonly cached?: boolean
  /** For a page visited by a helper: the numbers of its assignment and of its report. */
  readonly assignment?: {
    readonly membership: string
    readonly number: number
    readonly report: number
    /** The blob that its report was in. */
    readonly blob?: string
  }
}

/** An outcome without content. */
export function emptyOutcome(
  entry: FrontierRecord,
  outcome: Outcome,
  reason: Reason | null,
  facts: Partial<
    Pick<VisitOutcome, 'httpStatus' | 'finalUrl' | 'bytes' | 'durationMs' | 'trail'>
  > = {},
): VisitOutcome {
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
 * Maximum number of characters of one page's rows as JSON. A text of half a gigabyte can be neither
 * made nor written.
 */
const MOST_CHARACTERS = 64 * 1_024 * 1_024
/**
 * Number of characters that are counted without a slice. Most pages have fewer, so they arrive in
 * the order in which they were read, however busy the machine is.
 */
const AT_ONCE = 500_000
/** Bytes that a link counts as: settling a link takes about as long as writing that many bytes. */
const LINK_BYTES = 1_000

/** A page that can be committed. */
export interface WritablePage {
  readonly page: VisitOutcome
  /** Estimated bytes of its rows and its kept body. */
  readonly bytes: number
  /** The same, plus the bytes of its links in a commit. */
  readonly size: number
}

/**
 * Returns a page that can be committed. A page that cannot be written becomes an outcome `failed`.
 * The commit does the writing. Both work in slices, because a page may have a million values.
 */
export async function writablePage(page: VisitOutcome, pace = new Pace()): Promise<WritablePage> {
  let size = 0
  try {
    for (const row of page.rows) {
      const weight = size < AT_ONCE ? jsonWeight(row, AT_ONCE) : AT_ONCE
      size += weight < AT_ONCE ? weight : await weightInSlices(row, MOST_CHARACTERS - size, pace)
      if (size >= MOST_CHARACTERS)
        return unwritable(
          page,
          'page_too_large',
          `The rows of the page have more than ${MOST_CHARACTERS} characters`,
        )
    }
  } catch (error) {
    // A row with a circular reference.
    return unwritable(
      page,
      'page_not_writable',
      `The rows of the page cannot be written: ${String(error).slice(0, 200)}`,
    )
  }
  const bytes = size + (page.kept?.body.length ?? 0)
  return { page, bytes, size: bytes + (await linkBytes(page, pace)) }
}

async function linkBytes({ links }: VisitOutcome, pace: Pace): Promise<number> {
  let weight = 0
  for (const { carried } of links) {
    if (carried === undefined) continue
    weight += jsonWeight(carried, MOST_CHARACTERS)
    const rest = weight < AT_ONCE ? undefined : pace.step()
    if (rest) await rest
  }
  return LINK_BYTES * links.length + weight
}

function unwritable(
  { entry, httpStatus, finalUrl, bytes, durationMs, assignment, trail }: VisitOutcome,
  code: string,
  message: string,
): WritablePage {
  return {
    page: {
      ...emptyOutcome(
        entry,
        'failed',
        { code, message },
        { httpStatus, finalUrl, bytes, durationMs, ...(trail && { trail }) },
      ),
      ...(assignment && { assignment }),
    },
    bytes: 0,
    size: 0,
  }
}
