import { isJson, isObject } from '../../../kernel/json.ts'
import type { Row, Json } from '../../../kernel/json.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import { Change } from '../../../records/change.ts'
import type { Stored } from '../../../records/collection.ts'
import type { Records } from '../../records.ts'
import type { ExecutionRecord } from '../../executions/records.ts'
import { addFindable } from './findable-page.ts'

/** Makes what executions have fetched findable. */
export interface CrawledPages {
  /** Takes in what has ended since the last time; does nothing where nothing has. */
  takeIn(account: string): Promise<void>
}

/** States of executions that may have pages. */
const ENDED = ['succeeded', 'cancelled', 'timed_out'] as const
/** Executions of each state that are looked at, the newest. */
const NEWEST = 100
/** Pages of one execution, and of all that one search takes in. */
const MOST_OF_RUN = 300
const MOST_AT_ONCE = 1_000
/** Bytes of rows that are read of one execution. */
const MOST_BYTES = 8 * 1024 * 1024
const BATCH = 50
const decoder = new TextDecoder()

/**
 * Opens it. Executions are taken in by the first search after them and not as they run: so crawling
 * costs nothing more, nor do accounts without agents, and what has been crawled is found at once.
 */
export function createCrawledPages({
  records,
  blobs,
}: {
  readonly records: Records
  readonly blobs: Blobs
}): CrawledPages {
  return {
    async takeIn(account) {
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
      // Identifiers are in the order of time.
      const waiting = ids
        .filter((_, at) => marks[at]?.value.complete !== true)
        .toSorted()
        .toReversed()
      let left = MOST_AT_ONCE
      for (const id of waiting) {
        if (left <= 0) return
        const execution = await records.executions.get(account, id)
        if (execution) left -= await takeInRun(execution, account, left)
      }
    },
  }

  async function takeInRun(
    execution: Stored<ExecutionRecord>,
    account: string,
    left: number,
  ): Promise<number> {
    const { id, extractOf, finishedAt, updatedAt } = execution.value
    const at = finishedAt ?? updatedAt
    // Pages that were kept are found by the execution that fetched them.
    const pages =
      extractOf === undefined
        ? [...(await rowsByPage(account, id, Math.min(left, MOST_OF_RUN)))]
        : []
    for (let first = 0; first === 0 || first < pages.length; first += BATCH) {
      const change = new Change()
      // Retention deletes the execution first, then what is marked here: so nothing can be left
      // behind.
      records.executions.require(change, account, execution)
      records.indexedRuns.put(change, account, {
        execution: id,
        at,
        complete: first + BATCH >= pages.length,
      })
      const batch = pages.slice(first, first + BATCH)
      const visits = await records.visits.getMany(
        account,
        batch.map(([seq]) => [id, seq]),
      )
      batch.forEach(([seq, rows], nth) => {
        const visit = visits[nth]?.value
        const page = pageOfRows(rows)
        if (!visit || !page) return
        const url = visit.finalUrl ?? visit.url
        addFindable(records, change, account, {
          at,
          source: id,
          seq,
          id: url,
          url,
          title: page.title ?? url,
          text: page.text,
        })
      })
      if (!(await records.commit(change))) return first
    }
    return pages.length
  }

  async function rowsByPage(
    account: string,
    execution: string,
    most: number,
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
      for (const line of decoder.decode(blob).split('\n')) {
        const read = lineOf(line)
        if (read === null) continue
        const [seq, row] = read
        const known = pages.get(seq)
        if (known) known.push(row)
        else if (pages.size < most) pages.set(seq, [row])
      }
    }
    return pages
  }
}

/** `null` for what is no row: a damaged blob is for `verify` to tell, and must not end searching. */
function lineOf(line: string): readonly [number, Row] | null {
  try {
    const parsed: unknown = JSON.parse(line)
    return Array.isArray(parsed) && typeof parsed[0] === 'number' && isRow(parsed[1])
      ? [parsed[0], parsed[1]]
      : null
  } catch {
    return null
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value)
}

const LONGEST = 8_000
const TITLES = ['title', 'name', 'headline']
/** Texts of a whole page, the best first: one says what the others do. */
const TEXTS = ['markdown', 'text', 'article']
/** What is written for machines. */
const LEFT_OUT = new Set([...TEXTS, 'html', 'links', 'structured', 'screenshot', 'metadata'])

/** What an execution has taken from a page, as text to find it by. Null where it has taken none. */
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
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) gather(one, parts)
}
