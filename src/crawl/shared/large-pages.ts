import type {
  Done,
  LargePage,
  PageHead,
  ReportRecord,
  ReportedPage,
} from '../../features/executions/crawl-records.ts'
import { rowsFolder } from '../../features/executions/records.ts'
import type { Records } from '../../features/records.ts'
import { parseInSlices } from '../../features/common/parse-in-slices.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { jsonPieces, jsonWeight } from '../../kernel/json-pieces.ts'
import { Pace } from '../../kernel/pace.ts'
import { StoreFailure } from '../../kernel/failures.ts'
import { TextWriter } from '../../kernel/text/text-writer.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundLink, SourceRun } from '../../ports/page-processor.ts'
import { retryFailures } from '../../records/retry.ts'

// A record is written and parsed in one turn of the event loop, but the page of a helper may have
// 64 Mi characters. So the content of a large page is a blob beside the rows of its execution. The
// holder removes the blob after the commit that drops the page's report. After a crash, the sweep
// at the end of the execution removes it. If the blob is gone, for example after a restore, the
// holder visits the page again. A holder of an earlier version cannot read such blobs: it does not
// know the id of such a report, and drops the report. The helper then leaves (`readers` of the
// shared run), and the holder visits the page.

/** Approximate number of characters from which a page is a blob and not part of its report. */
const LARGE = 100_000
/** Initial size of the buffer for a page's blob, in bytes. It grows with the page. */
const FIRST_BYTES = 1_048_576

/** Dependencies of such a blob. */
export interface LargePageOptions {
  readonly blobs: Blobs
  readonly clock: Pick<Clock, 'sleep'>
}

/** About how many characters a page's report has. Counting stops at {@link LARGE}. */
export function weightOfPage({ rows, links, sources = [] }: ReportedPage): number {
  let weight = jsonWeight(rows, LARGE) + jsonWeight(sources, LARGE)
  for (const { url, foundOn = '', carried = null } of links) {
    if (weight >= LARGE) break
    weight += 60 + url.length + foundOn.length + jsonWeight(carried, LARGE)
  }
  return weight
}

/** The id of a report begins with this if its page is in a blob. No assignment has such an id. */
const LARGE_REPORT = 'large:'

/** The id of the report of an assignment. */
export function reportId(assignment: string, done: Done): string {
  return 'blob' in done ? LARGE_REPORT + assignment : assignment
}

/** A report with the id of its assignment. */
export function ofAssignment(report: ReportRecord): ReportRecord {
  return 'blob' in report.done ? { ...report, id: report.id.slice(LARGE_REPORT.length) } : report
}

/** A page of a helper, and the fresh name of its blob. */
interface NewPage {
  readonly account: string
  readonly execution: string
  readonly name: string
  readonly page: ReportedPage
}

/**
 * A page in the form of its report, with the name of its blob. The blob lies beside the rows, so
 * that the sweep and the deletion of an execution find it without a record.
 */
export async function doneOf(
  options: LargePageOptions & { readonly records: Pick<Records, 'sharedRuns'> },
  { account, execution, name, page }: NewPage,
): Promise<{ readonly done: Done; readonly readers?: string }> {
  if (weightOfPage(page) < LARGE) return { done: { page } }
  const { records, clock } = options
  const run = await retryFailures(clock, () => records.sharedRuns.get(account, execution))
  const readers = run?.value.readers
  if (readers === undefined) return { done: { page } }
  const blob = `${rowsFolder(execution)}reports/${name.replace(':', '-')}.json`
  const { rows, links, sources, ...head } = page
  const bytes = await putContent(options, blob, { rows, links, ...(sources && { sources }) })
  return { done: { blob, bytes, head }, readers }
}

/** The parts of a large page that are in its blob. */
type PageContent = Pick<ReportedPage, 'rows' | 'links' | 'sources'>

/**
 * Writes content in slices, and returns its length. The name is fresh, so a report that is not
 * committed leaves only an orphan.
 */
async function putContent(
  { blobs, clock }: LargePageOptions,
  name: string,
  { rows, links, sources }: PageContent,
): Promise<number> {
  const pace = new Pace()
  const writer = new TextWriter(FIRST_BYTES)
  const content: Json = {
    rows,
    links: links.map((link) => ({ ...link })),
    ...(sources && { sources }),
  }
  for (const piece of jsonPieces(content)) {
    writer.write(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  const bytes = await writer.joined(pace)
  await retryFailures(clock, () => blobs.put(name, bytes))
  return bytes.length
}

/**
 * Reads a page in slices. `null`: the blob is not there, or damaged.
 *
 * @throws {StoreFailure} if blobs cannot be read, which is not an error of the page
 */
export async function readPage(
  { blobs, clock }: LargePageOptions,
  { blob, bytes: length, head }: LargePage,
): Promise<ReportedPage | null> {
  let bytes: Uint8Array | null
  try {
    bytes = await retryFailures(clock, () => blobs.get(blob))
  } catch (cause) {
    throw new StoreFailure('unreachable', { cause })
  }
  if (bytes?.length !== length) return null
  const pace = new Pace()
  const content = await parseInSlices(bytes, { pace }).catch(() => null)
  return pageOf(head, content, pace)
}

/** `null`: the content is not that of a page. The parser does not look for each kind of damage. */
async function pageOf(head: PageHead, content: Json, pace: Pace): Promise<ReportedPage | null> {
  if (!isObject(content)) return null
  const rows = await listOf(content['rows'], isRow, pace)
  const links = await listOf(content['links'], isLink, pace)
  const sources =
    content['sources'] === undefined ? [] : await listOf(content['sources'], isSourceRun, pace)
  if (!rows || !links || !sources) return null
  return { ...head, rows, links, ...(content['sources'] !== undefined && { sources }) }
}

/** Number of items after which the clock is checked. */
const ITEMS = 64

async function listOf<T extends Json | FoundLink | SourceRun>(
  value: Json | undefined,
  isItem: (item: unknown) => item is T,
  pace: Pace,
): Promise<T[] | null> {
  if (!Array.isArray(value)) return null
  const items: T[] = []
  for (const item of value) {
    if (!isItem(item)) return null
    const rest = items.push(item) % ITEMS === 0 ? pace.step() : null
    if (rest) await rest
  }
  return items
}

function isRow(value: unknown): value is Row {
  return isObject(value)
}

function isLink(value: unknown): value is FoundLink {
  return (
    isObject(value) &&
    typeof value['url'] === 'string' &&
    typeof value['label'] === 'string' &&
    typeof value['depth'] === 'number' &&
    typeof value['hop'] === 'number' &&
    (value['foundOn'] === undefined || typeof value['foundOn'] === 'string') &&
    (value['carried'] === undefined || isObject(value['carried']))
  )
}

function isSourceRun(value: unknown): value is SourceRun {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[0] === 'string' &&
    typeof value[1] === 'number'
  )
}

/**
 * Deletes blobs that no page needs any more. Errors are ignored, because the sweep at the end of
 * the execution deletes the remaining blobs.
 */
export async function removePageBlobs(
  blobs: Blobs,
  reports: readonly (Done | { readonly blob?: string })[],
): Promise<void> {
  for (const report of reports)
    if ('blob' in report && report.blob !== undefined)
      try {
        await blobs.remove(report.blob)
      } catch {
        continue
      }
}
