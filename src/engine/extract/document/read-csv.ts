import type { Row } from '../../../kernel/json.ts'
import { atOnce, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'
import { namedRows } from './named-rows.ts'

/** Options of a file besides its text. */
export interface CsvOptions {
  /** One character. Detected if absent. */
  readonly delimiter?: string
  /** True if the first record holds names. Detected if absent. */
  readonly header?: boolean
}

/** A first line that tells Excel the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"])"?(?:\r\n?|\n)/i

/**
 * Reads CSV and similar formats into one object per record. The header names the members; without
 * one they are `c1`, `c2`… Values are the texts as written, or `null` for an empty or missing cell.
 * Cells beyond the header are kept (`c4`). Takes time linear in the text.
 *
 * @throws {PageTooCostly}
 */
export function readCsv(
  text: string,
  budget: PageBudget,
  options: CsvOptions = {},
): readonly Row[] {
  return atOnce(csvParts(text, budget, options))
}

/** Like {@link readCsv} in parts. */
export function* csvParts(
  text: string,
  budget: PageBudget,
  { delimiter, header }: CsvOptions,
): Parts<readonly Row[]> {
  const separatorLine = SEPARATOR_LINE.exec(text)
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length)
  const sign = separatorLine?.[1] ?? delimiter ?? delimiterOf(body, budget)
  const records: CsvRecord[] = []
  const pass = new StepParts(budget)
  for (const record of readRecords(body, sign, budget)) {
    records.push(record)
    if (pass.ends()) yield
  }
  return yield* namedRows(records, budget, header)
}

/**
 * The delimiters. If a file can be read with several, the first one wins: characters that are rarer
 * in text come first.
 */
const DELIMITERS = ['\t', '|', ';', ','] as const
const SAMPLE = 65_536
const SAMPLE_RECORDS = 50

/**
 * Returns the delimiter with which most records of the beginning have as many cells as the first,
 * or the comma.
 */
function delimiterOf(text: string, budget: PageBudget): string {
  const sample = text.slice(0, SAMPLE)
  let best = { delimiter: ',', alike: 0 }
  for (const delimiter of DELIMITERS) {
    const lengths: number[] = []
    for (const { length } of readRecords(sample, delimiter, budget))
      if (lengths.push(length) === SAMPLE_RECORDS) break
    // The last record may be incomplete.
    if (lengths.length > 1 && sample.length < text.length) lengths.pop()
    const [first = 0] = lengths
    const alike =
      first < 2 ? 0 : lengths.filter((length) => length === first).length / lengths.length
    if (alike > best.alike) best = { delimiter, alike }
  }
  return best.delimiter
}

/** The cells of one record as written. `null`: an empty cell without quotes. */
type CsvRecord = readonly (string | null)[]

/** Maximum cells of one file, and of one record. The rest is not read. */
const MAX_CELLS = 2_000_000
const MAX_COLUMNS = 1_000
/**
 * Steps of a cell besides its text, and its bytes until it becomes part of a row, which is charged
 * separately.
 */
const CELL_STEPS = 4
const QUOTE = 0x22
const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a

/**
 * Reads records by RFC 4180 and from files that deviate from it. Lines end with CRLF, LF or CR.
 * Blank lines are skipped. Records may differ in length. Spaces may surround quotes, and text after
 * a closing quote belongs to its cell. Takes time linear in any text.
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
  #position = 0
  #cells = 0

  constructor(text: string, delimiter: number, budget: PageBudget) {
    this.#text = text
    this.#delimiter = delimiter
    this.#budget = budget
  }

  record(): CsvRecord | null {
    while (this.#position < this.#text.length) {
      if (this.#cells >= MAX_CELLS) {
        this.#budget.cut('cells', MAX_CELLS, 'page')
        return null
      }
      const from = this.#position
      const cells: (string | null)[] = []
      let count = 0
      do {
        const cell = this.#cell()
        if (count++ < MAX_COLUMNS) cells.push(cell)
      } while (this.#passDelimiter())
      this.#passLineEnd()
      if (count > MAX_COLUMNS) this.#budget.cut('columns', MAX_COLUMNS, 'page')
      this.#budget.work(CELL_STEPS * count + this.#position - from)
      this.#budget.make(VALUE_ROOM * cells.length)
      this.#cells += cells.length
      if (cells.length > 1 || cells[0] !== null) return cells
    }
    return null
  }

  #cell(): string | null {
    let start = this.#position
    while (this.#text.charCodeAt(start) === SPACE) start++
    const quoted = this.#text.charCodeAt(start) === QUOTE ? this.#quoted(start + 1) : null
    if (quoted !== null) return quoted
    const bare = this.#bare()
    return bare === '' ? null : bare
  }

  /**
   * Returns `null` for a quote that is never closed. Such a quote is an ordinary character and must
   * not swallow the rest of the file. A failed search for the end happens at most once, because all
   * later quotes come in pairs, and a cell that begins with a pair is closed within the pairs.
   */
  #quoted(from: number): string | null {
    let value = ''
    for (;;) {
      const end = this.#text.indexOf('"', from)
      if (end === -1) return null
      value += this.#text.slice(from, end)
      if (this.#text.charCodeAt(end + 1) !== QUOTE) {
        this.#position = end + 1
        break
      }
      value += '"'
      from = end + 2
    }
    const rest = this.#bare()
    return rest.trim() === '' ? value : value + rest
  }

  #bare(): string {
    const from = this.#position
    const { length } = this.#text
    let position = from
    for (; position < length; position++) {
      const code = this.#text.charCodeAt(position)
      if (code === this.#delimiter || code === LF || code === CR) break
    }
    this.#position = position
    return this.#text.slice(from, position)
  }

  #passDelimiter(): boolean {
    if (this.#text.charCodeAt(this.#position) !== this.#delimiter) return false
    this.#position++
    return true
  }

  #passLineEnd(): void {
    if (this.#text.charCodeAt(this.#position) === CR) this.#position++
    // LF, or the LF of CRLF. A CR before a blank line that ends with LF has the same result.
    if (this.#text.charCodeAt(this.#position) === LF) this.#position++
  }
}
