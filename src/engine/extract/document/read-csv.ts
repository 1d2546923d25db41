import type { Json, Row } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'

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

const LONGEST = 128

/**
 * Names for the columns of a table, each once: what a header has, `c3` for the third where it has
 * none, `price_2` for another `price`. Goes on with `c4` beyond the header.
 */
class ColumnNames {
  readonly #names: string[] = []
  readonly #taken = new Set<string>()
  /** Name → the last number that was put behind it. */
  readonly #numbers = new Map<string, number>()

  constructor(header: readonly (string | null)[] = []) {
    for (const written of header) this.#add(written ?? '')
  }

  get length(): number {
    return this.#names.length
  }

  /** Name of the n-th column, from 0. */
  at(index: number): string {
    while (this.#names.length <= index) this.#add('')
    return this.#names[index] ?? ''
  }

  #add(written: string): void {
    const text = written.replace(/\s+/g, ' ').trim().slice(0, LONGEST).toWellFormed()
    // No object can have it as a member like others.
    const base = text === '' || text === '__proto__' ? `c${this.#names.length + 1}` : text
    let name = base
    while (this.#taken.has(name)) {
      const number = (this.#numbers.get(base) ?? 1) + 1
      this.#numbers.set(base, number)
      name = `${base}_${number}`
    }
    this.#taken.add(name)
    this.#names.push(name)
  }
}

/** Best first where files can be read with several: what is rarer in texts. */
const DELIMITERS = ['\t', '|', ';', ','] as const
const SAMPLE = 65_536
const SAMPLE_RECORDS = 50

/**
 * The delimiter with which most records of the beginning have as many cells as the first; comma
 * where there is none.
 */
function delimiterOf(text: string, budget: PageBudget): string {
  const sample = text.slice(0, SAMPLE)
  let best = { delimiter: ',', alike: 0 }
  for (const delimiter of DELIMITERS) {
    const lengths: number[] = []
    for (const { length } of readRecords(sample, delimiter, budget))
      if (lengths.push(length) === SAMPLE_RECORDS) break
    // The last one may be cut.
    if (lengths.length > 1 && sample.length < text.length) lengths.pop()
    const [first = 0] = lengths
    const alike =
      first < 2 ? 0 : lengths.filter((length) => length === first).length / lengths.length
    if (alike > best.alike) best = { delimiter, alike }
  }
  return best.delimiter
}

const NUMBER = /^[+-]?[\d.,]*\d\s?%?$/
const YEAR = /^[12]\d{3}$/
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/
const ADDRESS = /^(?:https?:\/\/\S|[^\s@]{1,64}@[^\s@]{1,255}$)/i

/**
 * Whether a file begins with the names of its columns. Values tell that it does not: a number, a
 * date, an address; but a year above something else is a name.
 */
function hasHeader(first: CsvRecord, second: CsvRecord | undefined): boolean {
  return first.every((cell, at) => {
    const text = cell?.trim() ?? ''
    if (YEAR.test(text) && second !== undefined) return !YEAR.test(second[at]?.trim() ?? '')
    return text.length > 400 || !(NUMBER.test(text) || DATE.test(text) || ADDRESS.test(text))
  })
}

/** Cells of one record as they are written; `null` where nothing is written, not even quotes. */
type CsvRecord = readonly (string | null)[]

/** Cells of one file, and of one record; what is beyond is not read. */
const MAX_CELLS = 2_000_000
const MAX_COLUMNS = 1_000
/**
 * To make a cell takes some steps besides its text, and room until it is a part of a row, which
 * pays for itself.
 */
const CELL_STEPS = 4
const QUOTE = 0x22
const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a

/**
 * Reads records as RFC 4180 has them, and as files have them that do not keep to it: lines end with
 * CRLF, LF or CR, blank ones are none, records may differ in length, spaces may stand around
 * quotes, and what follows a closing quote belongs to its cell. Time is linear in the text,
 * whatever it holds.
 *
 * @throws {PageTooCostly}
 */
export function* readRecords(
  text: string,
  delimiter: string,
  budget: PageBudget,
): Generator<CsvRecord> {
  const reader = new Reader(text, delimiter.charCodeAt(0), budget)
  for (let record = reader.record(); record !== null; record = reader.record()) yield record
}

class Reader {
  readonly #text: string
  readonly #delimiter: number
  readonly #budget: PageBudget
  #at = 0
  #cells = 0

  constructor(text: string, delimiter: number, budget: PageBudget) {
    this.#text = text
    this.#delimiter = delimiter
    this.#budget = budget
  }

  record(): CsvRecord | null {
    while (this.#at < this.#text.length) {
      if (this.#cells >= MAX_CELLS) {
        this.#budget.cut('cells', MAX_CELLS, 'page')
        return null
      }
      const from = this.#at
      const cells: (string | null)[] = []
      let count = 0
      do {
        const cell = this.#cell()
        if (count++ < MAX_COLUMNS) cells.push(cell)
      } while (this.#passDelimiter())
      this.#passLineEnd()
      if (count > MAX_COLUMNS) this.#budget.cut('columns', MAX_COLUMNS, 'page')
      this.#budget.work(CELL_STEPS * count + this.#at - from)
      this.#budget.make(VALUE_ROOM * cells.length)
      this.#cells += cells.length
      if (cells.length > 1 || cells[0] !== null) return cells
    }
    return null
  }

  #cell(): string | null {
    let start = this.#at
    while (this.#text.charCodeAt(start) === SPACE) start++
    const quoted = this.#text.charCodeAt(start) === QUOTE ? this.#quoted(start + 1) : null
    if (quoted !== null) return quoted
    const bare = this.#bare()
    return bare === '' ? null : bare
  }

  /**
   * `null` for a quote that is never closed, which is then a character like others: it must not
   * swallow the rest of the file. That happens once at most, so looking for the end in vain does
   * not add up: from there on all quotes stand in pairs, and a cell that begins with pairs is
   * closed within them.
   */
  #quoted(from: number): string | null {
    let value = ''
    for (;;) {
      const end = this.#text.indexOf('"', from)
      if (end === -1) return null
      value += this.#text.slice(from, end)
      if (this.#text.charCodeAt(end + 1) !== QUOTE) {
        this.#at = end + 1
        break
      }
      value += '"'
      from = end + 2
    }
    const rest = this.#bare()
    return rest.trim() === '' ? value : value + rest
  }

  #bare(): string {
    const from = this.#at
    const { length } = this.#text
    let at = from
    for (; at < length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === this.#delimiter || code === LF || code === CR) break
    }
    this.#at = at
    return this.#text.slice(from, at)
  }

  #passDelimiter(): boolean {
    if (this.#text.charCodeAt(this.#at) !== this.#delimiter) return false
    this.#at++
    return true
  }

  #passLineEnd(): void {
    if (this.#text.charCodeAt(this.#at) === CR) this.#at++
    // LF, or that of CRLF. Between CR and a blank line that ends with LF there is no difference.
    if (this.#text.charCodeAt(this.#at) === LF) this.#at++
  }
}
