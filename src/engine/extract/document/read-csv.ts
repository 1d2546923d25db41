import type { Json, Row } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'
import { ColumnNames } from './column-names.ts'
import { delimiterOf, hasHeader } from './csv-dialect.ts'
import { readRecords } from './csv-records.ts'
import type { CsvRecord } from './csv-records.ts'

/** What is said of a file besides its text. */
export interface CsvOptions {
  /** One character; absent: found out. */
  readonly delimiter?: string
  /** Whether the first record holds names; absent: found out. */
  readonly header?: boolean
}

/** A first line with which Excel is told the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"])"?(?:\r\n?|\n)/i

/** Columns of one shape: to copy wider rows takes longer than to make each. */
const MAX_SHAPED = 128

/** Members that are written for cells that are not there. */
const MAX_FILLED = 2_000_000

/**
 * Reads CSV and its kin: an object for each record, its members named by the header, or `c1`, `c2`…
 * where there is none. Values are texts as they are written, `null` where a cell is empty or
 * missing; cells beyond the header are kept (`c4`). In time linear in the text.
 *
 * @throws {PageTooCostly}
 */
export function readCsv(
  text: string,
  budget: PageBudget,
  { delimiter, header }: CsvOptions = {},
): readonly Row[] {
  const told = SEPARATOR_LINE.exec(text)
  const body = told === null ? text : text.slice(told[0].length)
  const records = [
    ...readRecords(body, told?.[1] ?? delimiter ?? delimiterOf(body, budget), budget),
  ]
  const [first, second] = records
  if (first === undefined) return []
  const isNamed = header ?? hasHeader(first, second)
  const names = new ColumnNames(isNamed ? first : [])
  if (isNamed) records.shift()
  // Not where a long header stands above very many short records: the file would become as large as
  // both multiplied.
  const width = first.length * records.length <= MAX_FILLED ? first.length : 0
  const isUsual = first.length <= MAX_SHAPED
  const empty = isUsual ? emptyRow(names, first.length) : null
  return records.map((record) => {
    budget.make(VALUE_ROOM * Math.max(0, width - record.length))
    return rowOf(names, record, width, width > 0 || record.length === first.length ? empty : null)
  })
}

/**
 * A row of the usual columns without values: copies of it share one shape, where others would be a
 * dictionary each.
 */
function emptyRow(names: ColumnNames, width: number): Row {
  return JSON.parse(
    JSON.stringify(
      Object.fromEntries(Array.from({ length: width }, (_, at) => [names.at(at), null])),
    ),
  )
}

function rowOf(names: ColumnNames, record: CsvRecord, width: number, empty: Row | null): Row {
  const row: Record<string, Json> = { ...empty }
  // Written one after the other, an empty text as nothing.
  for (let at = 0; at < record.length || at < width; at++) row[names.at(at)] = record[at] || null
  return row
}
