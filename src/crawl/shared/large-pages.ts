import type { Done, ReportedPage } from '../../features/executions/crawl-records.ts'
import { rowsFolder } from '../../features/executions/records.ts'
import type { Records } from '../../features/records.ts'
import { parseInSlices } from '../../features/common/parse-in-slices.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { jsonPieces, jsonWeight } from '../../kernel/json-pieces.ts'
import { Pace } from '../../kernel/pace.ts'
import { StoreFailure } from '../../kernel/failures.ts'
import { TextWriter } from '../../kernel/text/text-writer.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { retryFailures } from '../../records/retry.ts'

// A record is made and parsed at once, in one turn of a thread that serves. The page of a helper
// may have 64 Mi characters. A large one is therefore a blob beside the rows of its execution. The
// holder removes it after the commit that settles the page, and the sweep at the end of the
// execution what a crash has left. A page whose blob is gone, as after a restored backup, is visited
// again by the holder.

/** Characters of a page, or so, from which it is a blob and not part of its report. */
const LARGE = 100_000
/** Bytes that the blob of a page begins with. It grows with the page. */
const FIRST_BYTES = 1_048_576

/** What such a blob needs. */
export interface LargePageOptions {
  readonly blobs: Blobs
  readonly clock: Pick<Clock, 'sleep'>
}

/** About how many characters a page's report has. It is not looked at beyond {@link LARGE}. */
export function weightOfPage({ rows, links, sources = [] }: ReportedPage): number {
  let weight = jsonWeight(rows, LARGE) + jsonWeight(sources, LARGE)
  for (const { url, foundOn = '', carried = null } of links) {
    if (weight >= LARGE) break
    weight += 60 + url.length + foundOn.length + jsonWeight(carried, LARGE)
  }
  return weight
}

/** A page of a helper, and the fresh name of its blob. */
interface NewPage {
  readonly account: string
  readonly execution: string
  readonly name: string
  readonly page: ReportedPage
}

/**
 * A page as its report has it: a large one is in a blob, if the holder reads blobs. The blob lies
 * beside the rows, so that the sweep of an execution that has ended, and whatever erases one, finds
 * it without a record that names it.
 */
export async function doneOf(
  options: LargePageOptions & { readonly records: Pick<Records, 'sharedRuns'> },
  { account, execution, name, page }: NewPage,
): Promise<Done> {
  if (weightOfPage(page) < LARGE) return { page }
  const { records, clock } = options
  const run = await retryFailures(clock, () => records.sharedRuns.get(account, execution))
  if (!run?.value.readsBlobs) return { page }
  const blob = `${rowsFolder(execution)}reports/${name.replace(':', '-')}.json`
  await putPage(options, blob, page)
  return { blob }
}

/**
 * Writes a page in slices. The name is fresh, so a report that is not committed leaves only an
 * orphan.
 */
async function putPage(
  { blobs, clock }: LargePageOptions,
  name: string,
  { rows, links, sources, ...head }: ReportedPage,
): Promise<void> {
  const pace = new Pace()
  const writer = new TextWriter(FIRST_BYTES)
  const small: JsonObject = JSON.parse(JSON.stringify(head))
  const page: Json = {
    ...small,
    rows,
    links: links.map((link) => ({ ...link })),
    ...(sources && { sources }),
  }
  for (const piece of jsonPieces(page)) {
    writer.write(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  const bytes = await writer.joined(pace)
  await retryFailures(clock, () => blobs.put(name, bytes))
}

/**
 * Reads a page in slices. `null`: the blob is not there, or damaged.
 *
 * @throws {StoreFailure} if blobs cannot be read: the page is not to blame
 */
export async function readPage(
  { blobs, clock }: LargePageOptions,
  name: string,
): Promise<ReportedPage | null> {
  let bytes: Uint8Array | null
  try {
    bytes = await retryFailures(clock, () => blobs.get(name))
  } catch (cause) {
    throw new StoreFailure('unreachable', { cause })
  }
  try {
    // It is as `putPage` has written it.
    return bytes && ((await parseInSlices(bytes)) as JsonObject & ReportedPage)
  } catch {
    return null
  }
}

/**
 * Deletes blobs that no page needs any more. An error is no matter: the sweep at the end of the
 * execution deletes what is left.
 */
export async function removePages(blobs: Blobs, names: readonly string[]): Promise<void> {
  for (const name of names) await blobs.remove(name).catch(() => undefined)
}
