import { displayText, displayWidth, fitText } from './display-text.ts'

/** A cell may hold any JSON. */
export type TableRow = Readonly<Record<string, unknown>>

const GAP = 2
/** Minimum width of a column. If a column does not fit even then, it is left out. */
const NARROWEST = 8
const WIDEST = 60
/** Addresses have similar beginnings, so other columns get the width first. */
const WIDEST_URL = 32

/**
 * An aligned table: header, rule, rows. Numbers are aligned right, and long cells end with `…`. The
 * last line names columns that do not fit. Each line ends with a line feed; without columns the
 * result is an empty string.
 */
export function formatTable({
  columns,
  rows,
  width,
  whole = [],
}: {
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  /** Width of the terminal. No line is wider. */
  readonly width: number
  /** Columns that are never cut, because people type their values again. */
  readonly whole?: readonly string[]
}): string {
  if (columns.length === 0) return ''
  const cells = columns.map((column) => rows.map((row) => displayText(cellText(row[column]))))
  const natural = columns.map((column, i) =>
    Math.min(
      isUrls(cells[i] ?? []) ? WIDEST_URL : WIDEST,
      Math.max(1, displayWidth(displayText(column)), ...(cells[i] ?? []).map(displayWidth)),
    ),
  )
  const least = natural.map((columnWidth, i) =>
    whole.includes(columns[i] ?? '') ? columnWidth : Math.min(columnWidth, NARROWEST),
  )
  const shown = shownColumns(least, width)
  const widths = squeeze(natural.slice(0, shown), least, width)
  const numeric = columns.map(
    (column) =>
      rows.some((row) => typeof row[column] === 'number') &&
      rows.every(
        (row) =>
          row[column] === null || row[column] === undefined || typeof row[column] === 'number',
      ),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => pad(text, widths[i] ?? 0, numeric[i] ?? false))
      .join(' '.repeat(GAP))
      .trimEnd()
  const lines = [
    line(columns.slice(0, shown).map(displayText)),
    widths.map((columnWidth) => '─'.repeat(columnWidth)).join(' '.repeat(GAP)),
    ...rows.map((_, row) => line(cells.slice(0, shown).map((column) => column[row] ?? ''))),
  ]
  if (shown < columns.length)
    lines.push(fitText(`(and ${columns.slice(shown).map(displayText).join(', ')})`, width))
  return lines.map((text) => `${text}\n`).join('')
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isUrls(cells: readonly string[]): boolean {
  return (
    cells.some((cell) => cell !== '') &&
    cells.every((cell) => cell === '' || /^https?:\/\//.test(cell))
  )
}

function pad(text: string, width: number, right: boolean): string {
  const fitted = fitText(text, width)
  const space = ' '.repeat(Math.max(0, width - displayWidth(fitted)))
  return right ? space + fitted : fitted + space
}

/** Returns how many columns fit at their minimum width. */
function shownColumns(least: readonly number[], width: number): number {
  let used = -GAP
  let count = 0
  for (const columnWidth of least) {
    used += GAP + columnWidth
    if (used > width) break
    count++
  }
  return Math.max(1, count)
}

/**
 * Column widths that fit the terminal: narrow columns keep their width, and the wide ones share the
 * rest evenly.
 */
function squeeze(natural: readonly number[], least: readonly number[], width: number): number[] {
  let room = Math.max(natural.length, width - GAP * (natural.length - 1))
  const widths = Array.from(natural)
  // If there is only one column, no other column can become narrower.
  const isWhole = (i: number): boolean => natural.length > 1 && least[i] === natural[i]
  const byWidth = Array.from(natural.keys())
    .filter((i) => !isWhole(i))
    .toSorted((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0))
  for (const i of natural.keys()) if (isWhole(i)) room -= natural[i] ?? 0
  for (const [position, index] of byWidth.entries()) {
    const share = Math.floor(room / (byWidth.length - position))
    widths[index] = Math.min(natural[index] ?? 0, share)
    room -= widths[index] ?? 0
  }
  return widths
}
