import { isJson, isObject, isStructure } from '../../../kernel/json.ts'
import type { Row, Json } from '../../../kernel/json.ts'
import type { Pace } from '../../../kernel/pace.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import { Change } from '../../../records/change.ts'
import type { Stored } from '../../../records/collection.ts'
import type { Records } from '../../records.ts'
import { parseInSlices } from '../../common/parse-in-slices.ts'
import { rowsPart } from '../../executions/records.ts'
import type { ExecutionRecord } from '../../executions/records.ts'
import { addFindable } from './findable-page.ts'

/** Indexes the pages that executions have fetched. */
export interface CrawledPages {
  /** Indexes executions that have ended since the last call. Does nothing if no execution has ended. */
  takeIn(account: string, pace: Pace): Promise<void>
}

/** States of executions that may have pages. */
const ENDED = ['succeeded', 'cancelled', 'timed_out'] as const
/** Number of executions of each state that are checked. They are the newest. */
const NEWEST = 100
/** Limit on pages of one execution, and of all executions that one search indexes. */
const MOST_OF_RUN = 300
const MOST_AT_ONCE = 1_000
/** Limit on the bytes of rows that are read from one execution. */
const MOST_BYTES = 8 * 1024 * 1024
const BATCH = 50
const LINE_FEED = 10
/** A line with more bytes is parsed in slices. */
const LARGE = 500_000
const decoder = new TextDecoder()

/**
 * Opens the index of crawled pages. An execution is indexed by the first search after it, not while
 * it runs. So the index adds no work to crawling and none to accounts without agents, and a search
 * still finds all crawled pages.
 */
export function createCrawledPages({
  records,
  blobs,
}: {
  readonly records: Records
  readonly blobs: Blobs
}): CrawledPages {
  return {
    async takeIn(account, pace) {
      const ids = (
        await Promise.all(
          ENDED.map((status) =>
            records.executions.listIds('status', account, {
              within: [status],
              reverse: true,
              limit: NEWEST,
            }),
          ),
        )
      )
        .flat()
        .map(([id]) => String(id))
      const marks = await records.indexedRuns.getMany(
        account,
        ids.map((id) => [id]),
      )
      // Identifiers are in order of time.
      const waiting = ids
        .filter((_, index) => marks[index]?.value.complete !== true)
        .toSorted()
        .toReversed()
      let left = MOST_AT_ONCE
      for (const id of waiting) {
        if (left <= 0) return
        const execution = await records.executions.get(account, id)
        if (execution) left -= await takeInRun(execution, account, left, pace)
      }
    },
  }

  async function takeInRun(
    execution: Stored<ExecutionRecord>,
    account: string,
    left: number,
    pace: Pace,
  ): Promise<number> {
    const { id, extractOf, finishedAt, updatedAt, rowsDeletedAt } = execution.value
    const time = finishedAt ?? updatedAt
    // Kept pages are found through the execution that fetched them.
    const pages =
      extractOf === undefined && rowsDeletedAt === undefined
        ? [...(await rowsByPage(account, id, Math.min(left, MOST_OF_RUN), pace))]
        : []
    for (let first = 0; first === 0 || first < pages.length; first += BATCH) {
      const change = new Change()
      // Retention deletes the execution first and then its index entries. This commit depends on
      // the execution, so it cannot add an entry after that.
      records.executions.require(change, account, execution)
      records.indexedRuns.put(change, account, {
        execution: id,
        at: time,
        complete: first + BATCH >= pages.length,
      })
      const batch = pages.slice(first, first + BATCH)
      const visits = await records.visits.getMany(
        account,
        batch.map(([seq]) => [id, seq]),
      )
      for (const [nth, [seq, rows]] of batch.entries()) {
        const visit = visits[nth]?.value
        const page = pageOfRows(rows)
        if (!visit || !page) continue
        const url = visit.finalUrl ?? visit.url
        addFindable(records, change, account, {
          at: time,
          source: id,
          seq,
          id: url,
          url,
          title: page.title ?? url,
          text: page.text,
        })
        const rest = pace.step()
        if (rest) await rest
      }
      if (!(await records.commit(change))) return first
    }
    return pages.length
  }

  async function rowsByPage(
    account: string,
    execution: string,
    most: number,
    pace: Pace,
  ): Promise<Map<number, Row[]>> {
    const pages = new Map<number, Row[]>()
    let bytes = 0
    for (const { value } of await records.segments.list(account, {
      within: [execution],
      limit: MOST_OF_RUN,
    })) {
      const blob = await blobs.get(value.blob)
      bytes += blob?.length ?? 0
      if (blob === null || bytes > MOST_BYTES) break
      const body = rowsPart(value, blob)
      for (let start = 0; start < body.length;) {
        const feed = body.indexOf(LINE_FEED, start)
        const end = feed < 0 ? body.length : feed
        const read = await lineOf(body.subarray(start, end), pace)
        start = end + 1
        const rest = pace.step()
        if (rest) await rest
        if (read === null) continue
        const [seq, row] = read
        const pageRows = pages.get(seq)
        if (pageRows) pageRows.push(row)
        else if (pages.size < most) pages.set(seq, [row])
      }
    }
    return pages
  }
}

/**
 * Parses a line of rows. `null` for any other line: a damaged blob is reported by `verify` and must
 * not end a search.
 */
async function lineOf(line: Uint8Array, pace: Pace): Promise<readonly [number, Row] | null> {
  try {
    const parsed: unknown =
      line.length < LARGE ? JSON.parse(decoder.decode(line)) : await parseInSlices(line, { pace })
    if (!Array.isArray(parsed)) return null
    const [seq, row]: readonly unknown[] = parsed
    return typeof seq === 'number' && isJson(row) && isObject(row) ? [seq, row] : null
  } catch {
    return null
  }
}

const LONGEST = 8_000
const TITLES = ['title', 'name', 'headline']
/** Names of columns with the text of a whole page, best first. One of them is enough. */
const TEXTS = ['markdown', 'text', 'article']
/** Columns for machines. */
const LEFT_OUT = new Set([
  ...TEXTS,
  'html',
  'links',
  'structured',
  'comments',
  'screenshot',
  'metadata',
])

/** The text that an execution has extracted from a page, for the index. `null`: none. */
function pageOfRows(
  rows: readonly Row[],
): { readonly title: string | null; readonly text: string } | null {
  let text = ''
  for (const row of rows) {
    if (text.length > LONGEST) break
    text += `${textOfRow(row)}\n`
  }
  if (text.trim() === '') return null
  return { title: titleOf(rows), text: text.slice(0, LONGEST) }
}

function titleOf(rows: readonly Row[]): string | null {
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  for (const source of [row, row['metadata'], row['article']]) {
    for (const name of TITLES) {
      const title = isObject(source) && Object.hasOwn(source, name) ? source[name] : null
      if (typeof title === 'string' && title.trim() !== '') return title.trim()
    }
  }
  return null
}

function textOfRow(row: Row): string {
  const parts: string[] = []
  for (const [column, value] of Object.entries(row)) if (!LEFT_OUT.has(column)) gather(value, parts)
  const whole = TEXTS.map((column) => row[column]).find(
    (value) => value !== undefined && value !== null,
  )
  if (whole !== undefined) gather(isObject(whole) ? (whole['text'] ?? null) : whole, parts)
  return parts.join('\n')
}

function gather(value: Json, parts: string[]): void {
  if (parts.length > 2_000) return
  if (typeof value === 'string') {
    if (value.trim() !== '' && !/^https?:\/\/\S+$/.test(value)) parts.push(value)
  } else if (typeof value === 'number') parts.push(String(value))
  else if (isStructure(value)) for (const member of Object.values(value)) gather(member, parts)
}
