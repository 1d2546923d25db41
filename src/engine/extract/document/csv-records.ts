import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'

/** Cells of one record as they are written; `null` where nothing is written, not even quotes. */
export type CsvRecord = readonly (string | null)[]

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
