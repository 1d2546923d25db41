import type { SourceRun } from '../../ports/page-processor.ts'
import type { PageBudget } from './page/page-budget.ts'

/** Code of a value that no source gave. */
const NOTHING = 0
/** The first character of the codes. All codes are printable characters that JSON does not escape. */
const FIRST = 48
/** Bytes that a run takes besides its codes. */
const RUN_BYTES = 32

/** The source of a field that gave a value. */
export interface MatchedSource {
  /** Position in the list of the field's sources, from 0. */
  readonly alternative: number
  /** True if the source matched nothing, and the value is its `default`. */
  readonly isDefault: boolean
}

/** Returns the code of a source that gave a value. */
export function sourceCode(alternative: number, isDefault = false): number {
  return 2 * alternative + (isDefault ? 2 : 1)
}

/** The inverse of {@link sourceCode}, for one column of a run. `null`: no source gave a value. */
export function matchedSource(codes: string, column: number): MatchedSource | null {
  const code = codes.charCodeAt(column) - FIRST
  return code > NOTHING ? { alternative: (code - 1) >> 1, isDefault: code % 2 === 0 } : null
}

/**
 * Records which source gave each value of a page's rows. Most rows have their values from the same
 * sources as the row before. Such a row only makes its run longer.
 */
export class SourceTrace {
  readonly #codes: Uint8Array
  readonly #last: Uint8Array
  readonly #runs: [codes: string, rows: number][] = []

  /** `columns`: their number. */
  constructor(columns: number) {
    this.#codes = new Uint8Array(columns)
    this.#last = new Uint8Array(columns)
  }

  /** The rows so far, in their order. */
  get runs(): readonly SourceRun[] {
    return this.#runs
  }

  /** Forgets all rows, because the page is read again. */
  clear(): void {
    this.#runs.length = 0
  }

  /** Records the source of a column of the current row. 0: no source gave a value. */
  note(column: number, code: number): void {
    this.#codes[column] = code
  }

  /**
   * Adds the current row. A row that is read and not added leaves no trace. Never throws: the row
   * at which the budget ends is still a row.
   */
  add(budget: PageBudget): void {
    const run = this.#runs.at(-1)
    if (run !== undefined && this.#isAsLast()) {
      run[1]++
      return
    }
    this.#last.set(this.#codes)
    this.#runs.push([codesText(this.#codes), 1])
    try {
      if (budget.overrun === null) budget.make(RUN_BYTES + this.#codes.length)
    } catch (error) {
      budget.settle(error, null)
    }
  }

  #isAsLast(): boolean {
    for (let column = 0; column < this.#codes.length; column++)
      if (this.#codes[column] !== this.#last[column]) return false
    return true
  }
}

function codesText(codes: Iterable<number>): string {
  let text = ''
  for (const code of codes) text += String.fromCharCode(FIRST + code)
  return text
}

/** Returns a row's codes with some of them replaced. */
export function withCodes(
  codes: string,
  changes: readonly (readonly [column: number, code: number])[],
): string {
  const characters = [...codes]
  for (const [column, code] of changes) characters[column] = codesText([code])
  return characters.join('')
}

/** Yields the codes of each row. */
export function* codesOfRows(runs: readonly SourceRun[]): Generator<string> {
  for (const [codes, rows] of runs) for (let row = 0; row < rows; row++) yield codes
}

/** Returns the runs of some of the rows. */
export function chosenRuns(runs: readonly SourceRun[], rows: Iterable<number>): SourceRun[] {
  const codes = [...codesOfRows(runs)]
  return toRuns(Array.from(rows, (row) => codes[row] ?? ''))
}

/** Joins the codes of rows, which come one by one, to runs. */
export function toRuns(codes: Iterable<string>): SourceRun[] {
  const runs: [codes: string, rows: number][] = []
  for (const code of codes) {
    const run = runs.at(-1)
    if (run?.[0] === code) run[1]++
    else runs.push([code, 1])
  }
  return runs
}
