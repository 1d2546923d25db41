import { textOf } from './values.ts'

/** A row, as lists and files have it. */
export type FileRow = Readonly<Record<string, unknown>>

/** Rows of a file, in its order. */
export interface ReadRows {
  readonly rows: readonly FileRow[]
  /** False: there are more than {@link MOST_ROWS}, or they are too long. */
  readonly isWhole: boolean
}

/** Rows that are held to be searched and sorted. */
export const MOST_ROWS = 100_000
/** Their characters together. */
const MOST_CHARACTERS = 100_000_000

/** Which rows to show, and in what order. */
export interface RowOrder {
  /** Letters that a cell has, in any case; empty: all rows. */
  readonly find: string
  /** Column to sort by; empty: the order of the file. */
  readonly sort: string
  readonly isDown: boolean
}

/** The row that is open, and what has opened it: its number, in the order of the table. */
export interface OpenRow {
  readonly name: string
  readonly row: FileRow
}

/**
 * The row to show beside a table. One that is open stays as it is when the table is read again,
 * because another row may then have its number. `name`: what the address opens; `null`: nothing.
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

/** The rows that have the letters, sorted. Numbers sort by size, and empty cells come last. */
export function orderRows(
  rows: readonly FileRow[],
  columns: readonly string[],
  { find, sort, isDown }: RowOrder,
): readonly FileRow[] {
  const letters = find.toLocaleLowerCase()
  const matching =
    letters === ''
      ? rows
      : rows.filter((row) =>
          columns.some((name) => textOf(row[name]).toLocaleLowerCase().includes(letters)),
        )
  if (sort === '') return matching
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  return matching.toSorted((a, b) => {
    const [left, right] = [a[sort], b[sort]]
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right))
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : compare(textOf(left), textOf(right))
    return isDown ? -order : order
  })
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''
