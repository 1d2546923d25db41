import { textOf } from './values.ts'

/** A row, as lists and files have it. */
export type FileRow = Readonly<Record<string, unknown>>

/** Rows of a file, in its order. */
export interface ReadRows {
  readonly rows: readonly FileRow[]
  /** False: there are more than {@link MOST_ROWS}, or they are too long. */
  readonly isWhole: boolean
}

/** Maximum number of rows that are loaded to be searched and sorted. */
export const MOST_ROWS = 100_000
/** Their characters together. */
const MOST_CHARACTERS = 100_000_000

/** The rows to show, and their order. */
export interface RowOrder {
  /** A text that a cell contains, in any case. Empty: all rows. */
  readonly find: string
  /** Column to sort by. Empty: the order of the file. */
  readonly sort: string
  readonly isDown: boolean
}

/** The open row, with its number in the order of the table and the name that opened it. */
export interface OpenRow {
  readonly name: string
  readonly row: FileRow
}

/**
 * The row to show beside a table. If a row is open, it stays when the table is read again, because
 * another row may then have its number. `name`: the name in the address; `null`: none.
 */
export function nextOpenRow(
  last: OpenRow | null,
  name: string | null,
  row: FileRow | undefined,
): OpenRow | null {
  if (name === null) return null
  if (last?.name === name) return last
  return row === undefined ? null : { name, row }
}

/** Reads a file with a JSON object in each line (https://jsonlines.org). */
export async function readRows(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ReadRows> {
  const rows: FileRow[] = []
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let characters = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    characters += read.value.length
    const lines = (rest + read.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) addRow(rows, line)
    if (rows.length > MOST_ROWS || characters > MOST_CHARACTERS) {
      await reader.cancel()
      return { rows: rows.slice(0, MOST_ROWS), isWhole: false }
    }
  }
  addRow(rows, rest)
  return { rows: rows.slice(0, MOST_ROWS), isWhole: rows.length <= MOST_ROWS }
}

function addRow(rows: FileRow[], line: string): void {
  if (line === '') return
  const value: unknown = JSON.parse(line)
  if (typeof value === 'object' && value !== null) rows.push({ ...value })
}

/** Number of rows that are searched, sorted or merged before the browser can react to its reader. */
const SLICE = 2_000
const MERGED = 10_000

/**
 * The rows that contain the text, sorted. Numbers sort by size, and empty cells come last. `rest`
 * yields to the browser. It is called often enough that a key never waits for long.
 */
export async function orderRows(
  rows: readonly FileRow[],
  columns: readonly string[],
  { find, sort, isDown }: RowOrder,
  rest: () => Promise<void>,
): Promise<readonly FileRow[]> {
  const matching = find === '' ? rows : await findRows(rows, columns, find, rest)
  if (sort === '') return matching
  const compare = comparison(sort, isDown)
  let parts: FileRow[][] = []
  for (let first = 0; first < matching.length; first += SLICE) {
    if (first > 0) await rest()
    parts.push(matching.slice(first, first + SLICE).toSorted(compare))
  }
  while (parts.length > 1) {
    const merged: FileRow[][] = []
    let since = 0
    for (let index = 0; index < parts.length; index += 2) {
      const both = await mergeRows(parts[index] ?? [], parts[index + 1] ?? [], compare, rest)
      merged.push(both)
      since += both.length
      if (since >= MERGED) {
        since = 0
        await rest()
      }
    }
    parts = merged
  }
  return parts[0] ?? []
}

/** The rows with the text in one of the columns, in any case. */
async function findRows(
  rows: readonly FileRow[],
  columns: readonly string[],
  find: string,
  rest: () => Promise<void>,
): Promise<readonly FileRow[]> {
  const letters = find.toLocaleLowerCase()
  const matching: FileRow[] = []
  for (let first = 0; first < rows.length; first += SLICE) {
    if (first > 0) await rest()
    for (const row of rows.slice(first, first + SLICE))
      if (columns.some((name) => textOf(row[name]).toLocaleLowerCase().includes(letters)))
        matching.push(row)
  }
  return matching
}

/** Merges two sorted lists. Of equal rows, those of the first list come first. */
async function mergeRows(
  former: readonly FileRow[],
  latter: readonly FileRow[],
  compare: (a: FileRow, b: FileRow) => number,
  rest: () => Promise<void>,
): Promise<FileRow[]> {
  const rows: FileRow[] = []
  let [left, right] = [0, 0]
  for (;;) {
    const [a, b] = [former[left], latter[right]]
    if (a === undefined || b === undefined) break
    const isFirst = compare(a, b) <= 0
    rows.push(isFirst ? a : b)
    if (isFirst) left += 1
    else right += 1
    if (rows.length % MERGED === 0) await rest()
  }
  return rows.concat(former.slice(left), latter.slice(right))
}

function comparison(sort: string, isDown: boolean): (a: FileRow, b: FileRow) => number {
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  return (a, b) => {
    const [left, right] = [a[sort], b[sort]]
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right))
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : compare(textOf(left), textOf(right))
    return isDown ? -order : order
  }
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''
