import type { DocumentTable } from '../../ports/document-reader.ts'
import {
  ColumnCounts,
  headingRows,
  isDay,
  isSeries,
  isSpan,
  isValue,
  mayName,
  mayStandAbove,
  MOSTLY,
  titleRows,
} from '../../kernel/text/heading-rows.ts'
import type { PageRules } from './page-rules.ts'
import { firstFrom, linesOf, splitWord, textOfWords } from './page-words.ts'
import type { Line, PageTable, Segment, Word } from './page-words.ts'
import { ruledTables } from './ruled-tables.ts'

type Cells = PageTable['rows'][number]

/** A stretch across a page, from left to right. */
interface Column {
  readonly left: number
  readonly right: number
}

/** Minimum overlap of a text and a column, in points. */
const MEETING = 1.5
/** Minimum number of text lines with gaps for a table without ruled lines. */
const MIN_LINES = 3
/** Maximum number of columns of a table, and of parts of columns before separate parts are joined. */
const MOST_COLUMNS = 200
const MOST_PARTS = 4 * MOST_COLUMNS
/** Gap between lines that ends a table, in heights of a letter. */
const END_GAP = 3.5
/** Gap above a table with more columns than the lines before it, in usual line distances. */
const PART_GAP = 1.4
/** Maximum share of lines in which both parts of a column are filled, as with names above numbers. */
const APART = 0.25
/** Maximum share of lines with text across the gap between two columns. */
const CROSSING = 0.1
/** Minimum share of filled cells in a table. */
const FILLED = 0.5
/** Mean number of characters of cells above which a column is prose. */
const PROSE = 28
/** Maximum difference of a table's columns from page to page, in points. */
const SHIFT = 4
/** Number of rows above that show the kind of a row that is alone on its page. */
const FEW = 20
/** Matches marks of lists, which look like a separate column before their texts. */
const MARK = /^(?:[•·▪◦‣–—*-]|\(?(?:\d{1,3}|[a-z])[.)])$/i

/** True if some lines of a page have gaps, so that it may have a table. */
export function looksTabular(words: readonly Word[]): boolean {
  let count = 0
  for (const { segments } of linesOf(words)) if (segments.length > 1) count++
  return count >= MIN_LINES - 1
}

/** Returns the tables of a page from top to bottom: those with lines, and those of aligned text. */
export function tablesOfPage(words: readonly Word[], rules: PageRules): PageTable[] {
  const ruled = ruledTables(rules, words)
  const ruledWords = new Set(ruled.flatMap((table) => table.words ?? []))
  const free = ruledWords.size === 0 ? words : words.filter((word) => !ruledWords.has(word))
  return [
    ...ruled,
    ...blocksOf(linesOf(free)).flatMap((block) => alignedTable(block) ?? []),
  ].toSorted((a, b) => a.top - b.top)
}

/**
 * Joins tables that continue on the next page, or below the title of a section: they have the same
 * columns, and no other names above them. A repeated heading is left out.
 */
export function joinTables(pages: readonly (readonly PageTable[])[]): readonly DocumentTable[] {
  const joined: Joined[] = []
  for (const [index, tables] of pages.entries())
    for (const { columns, rows } of tables) {
      const last = joined.at(-1)
      const start = titleRows(rows)
      const end = start + (last === undefined ? 0 : namesAgain(rows.slice(start), last.names))
      const isAgain = end > start
      // A page with only names has no rows below them.
      const below = end < rows.length ? rows.slice(end) : (last?.rows.slice(-FEW) ?? [])
      const head = rows[start] ?? []
      const isHeading =
        isAgain &&
        !last?.isRecord &&
        (mayHead(head, below) ||
          (last?.end !== index && (areNamesOrDays(head, below) || isOther(head, below))))
      const [first = [], after = []] = rows
      if (
        last !== undefined &&
        isSame(last.columns, columns) &&
        (isHeading || !last.counts.areNamesIn(first, after))
      ) {
        if (isAgain && !isHeading) last.isRecord = true
        last.end = index
        // The title of another section stays.
        const title = textOf(rows.slice(0, start)) === last.title ? [] : rows.slice(0, start)
        for (const row of isHeading ? [...title, ...rows.slice(end)] : rows) {
          last.rows.push(row)
          last.counts.add(row)
        }
      } else {
        const counts = new ColumnCounts()
        for (const row of rows.slice(1)) counts.add(row)
        joined.push({
          page: index + 1,
          end: index,
          columns,
          title: textOf(rows.slice(0, start)),
          names: rows.slice(start, start + headingRows(rows.slice(start))).map(textOf),
          isRecord: false,
          counts,
          rows: [...rows],
        })
      }
    }
  return joined.map(({ page, rows }) => ({ name: null, page, rows }))
}

/** Counts the first rows that repeat the rows of names of the previous table. */
function namesAgain(rows: PageTable['rows'], names: readonly string[]): number {
  const end = names.findIndex((name, row) => name !== textOf(rows[row]))
  return end === -1 ? names.length : end
}

/** Rows as a text for comparison. */
function textOf(rows: PageTable['rows'] | PageTable['rows'][number] | undefined): string {
  return JSON.stringify(rows ?? null)
}

/**
 * True if a row may contain the names of the rows below. Without names the first row is a record,
 * and each section or page may begin with the same record.
 */
function mayHead(head: Cells, below: readonly Cells[]): boolean {
  return (
    isSeries(head) ||
    head.every((cell, column) => {
      // A single cell may differ from the others of its column.
      const under = below.filter((row) => mayStandAbove(cell, row[column] ?? null))
      return under.length >= MOSTLY * below.length
    })
  )
}

/**
 * True for texts, years and days, because balance sheets have a column for each day. But a day
 * above days is one of the values.
 */
function areNamesOrDays(head: Cells, below: readonly Cells[]): boolean {
  return head.every((cell, column) => {
    if (mayName(cell)) return true
    const days = below.filter((row) => isDay(row[column] ?? null)).length
    return isDay(cell) && days <= (1 - MOSTLY) * below.length
  })
}

/**
 * True if a row that is repeated on another page differs from the rows below: it has a text above
 * values, or several values of a kind that their columns do not have.
 */
function isOther(head: Cells, below: readonly Cells[]): boolean {
  let [values, others] = [0, 0]
  for (const [column, cell] of head.entries()) {
    const kinds = below.map((row) => kindOf(row[column] ?? null)).filter((kind) => kind !== 'none')
    const kind = kindOf(cell)
    const alike = kinds.filter((under) => under === kind).length
    if (kind === 'text' && kinds.length > 0 && alike === 0) return true
    if (kind === 'text' || kind === 'none') continue
    values++
    if (alike <= (1 - MOSTLY) * kinds.length) others++
  }
  return values > 1 && others === values
}

function kindOf(cell: string | null): 'none' | 'text' | 'span' | 'whole' | 'number' {
  if (cell === null) return 'none'
  if (!isValue(cell)) return 'text'
  if (isSpan(cell)) return 'span'
  return /^\d+$/.test(cell) ? 'whole' : 'number'
}

interface Joined {
  readonly page: number
  readonly columns: readonly number[]
  /** The index of its last page. */
  end: number
  readonly title: string
  /** Its rows of names. */
  readonly names: readonly string[]
  /** True if its first row was repeated as a record. */
  isRecord: boolean
  /** Counts of its rows without the first one. */
  readonly counts: ColumnCounts
  readonly rows: (readonly (string | null)[])[]
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return (
    a.length === b.length && a.every((left, index) => Math.abs(left - (b[index] ?? 0)) <= SHIFT)
  )
}

/**
 * Returns the lines that may be tables: lines with gaps, and lines that continue a cell of the line
 * above.
 */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = []
  let block: Line[] = []
  /** The last line of the block with several segments. */
  let above: Line | undefined
  const end = (): void => {
    while (block.length > 0 && (block.at(-1)?.segments.length ?? 0) < 2) block.pop()
    if (block.length >= MIN_LINES) blocks.push(...partsOf(block))
    block = []
    above = undefined
  }
  for (const line of lines) {
    const last = block.at(-1)
    const count = line.segments.length
    if (last !== undefined && line.y - last.y > END_GAP * Math.max(last.height, line.height)) end()
    if (count > 1 && count <= MOST_COLUMNS) {
      block.push(line)
      above = line
    } else if (
      count === 1 &&
      last !== undefined &&
      above !== undefined &&
      continues(line, last, above)
    )
      block.push(line)
    else end()
  }
  end()
  return blocks
}

/**
 * Divides lines where a table with more columns begins below a gap, such as the table of an
 * invoice.
 */
function partsOf(block: Line[]): Line[][] {
  const gaps = block.slice(1).map(({ y }, index) => y - (block[index]?.y ?? y))
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0
  let most = 0
  for (const [index, { segments }] of block.entries()) {
    const isWider = segments.length > most && (gaps[index - 1] ?? 0) > PART_GAP * usual
    if (isWider && index >= MIN_LINES && block.length - index >= MIN_LINES)
      return [block.slice(0, index), ...partsOf(block.slice(index))]
    most = Math.max(most, segments.length)
  }
  return [block]
}

/**
 * True if a line of one segment lies below one segment of the earlier lines, without a gap between
 * them.
 */
function continues({ segments, y, height }: Line, last: Line, above: Line): boolean {
  const [only] = segments
  if (only === undefined || y - last.y > 2 * height) return false
  return above.segments.filter((segment) => overlap(segment, only) > 0).length === 1
}

function alignedTable(lines: readonly Line[]): PageTable | null {
  const full = lines.filter(({ segments }) => segments.length > 1)
  const parts = columnsOf(full)
  if (parts.length > MOST_PARTS) return null
  const columns = wholeColumns(parts, full)
  if (columns.length < 2 || columns.length > MOST_COLUMNS || full.length < MIN_LINES) return null
  const rows = rowsOf(lines, columns)
  if (rows.length < MIN_LINES - 1 || isProse(rows, columns.length)) return null
  const filled = rows.reduce((sum, cells) => sum + cells.filter((cell) => cell !== null).length, 0)
  if (filled < FILLED * rows.length * columns.length) return null
  const lefts = columns.map(({ left }) => left)
  return { top: lines[0]?.y ?? 0, bottom: lines.at(-1)?.y ?? 0, columns: lefts, rows }
}

/** Returns the columns. A gap between two columns has text in few lines. */
function columnsOf(lines: readonly Line[]): Column[] {
  const edges = lines.flatMap(({ segments }) =>
    segments.flatMap(({ left, right }) => [
      { at: left, by: 1 },
      { at: right, by: -1 },
    ]),
  )
  const most = Math.floor(lines.length * CROSSING)
  const columns: Column[] = []
  let depth = 0
  let left: number | null = null
  for (const { at, by } of edges.toSorted((a, b) => a.at - b.at || b.by - a.by)) {
    depth += by
    if (left === null && depth > most) left = at
    else if (left !== null && depth <= most) {
      columns.push({ left, right: at })
      left = null
    }
  }
  return columns
}

/**
 * Joins neighbouring columns if no line has both of them. In a wide column, names may be on the
 * left and numbers on the right, so that they do not overlap.
 */
function wholeColumns(columns: readonly Column[], lines: readonly Line[]): readonly Column[] {
  const linesIn = columns.map(() => new Set<Line>())
  for (const line of lines)
    for (const segment of line.segments) {
      // Columns go from left to right, so those that are near are next to each other.
      const from = Math.max(0, firstFrom(columns, segment.left, ({ right }) => right) - 1)
      const end = firstFrom(columns, segment.right, ({ left }) => left) + 1
      const near = columns.slice(from, end)
      const touched = near.flatMap((column, index) =>
        overlap(segment, column) > MEETING ? [from + index] : [],
      )
      for (const index of touched.length === 0 ? [from + columnAt(near, segment)] : touched)
        linesIn[index]?.add(line)
    }
  const whole: { readonly left: number; right: number; readonly lines: Set<Line> }[] = []
  for (const [index, { left, right }] of columns.entries()) {
    const own = linesIn[index] ?? new Set<Line>()
    const last = whole.at(-1)
    const few = Math.min(own.size, last?.lines.size ?? 0)
    if (
      last !== undefined &&
      few <= Math.max(1, APART * lines.length) &&
      ![...own].some((line) => last.lines.has(line))
    ) {
      last.right = right
      for (const line of own) last.lines.add(line)
    } else whole.push({ left, right, lines: own })
  }
  return whole
}

/** The cells of lines. A line without a first cell continues the row above if it is near. */
function rowsOf(lines: readonly Line[], columns: readonly Column[]): (string | null)[][] {
  const rows: (string | null)[][] = []
  const usual = usualGap(lines, columns)
  let before: Line | null = null
  for (const line of lines) {
    const cells = cellsOf(line.segments, columns)
    const last = rows.at(-1)
    const isNear = before !== null && line.y - before.y < usual * 0.85
    const isAlone = line.segments.length === 1 && cells[0] === null
    if (last !== undefined && ((isNear && cells[0] === null) || isAlone))
      for (const [index, cell] of cells.entries())
        if (cell !== null) last[index] = last[index] === null ? cell : `${last[index]} ${cell}`
    if (last === undefined || !((isNear && cells[0] === null) || isAlone)) rows.push(cells)
    before = line
  }
  return rows
}

/** The median distance of lines that begin a row. */
function usualGap(lines: readonly Line[], columns: readonly Column[]): number {
  const second = columns[1]?.left ?? 0
  const starts = lines.filter(({ segments }) => (segments[0]?.left ?? 0) < second)
  const gaps = starts.slice(1).map(({ y }, index) => y - (starts[index]?.y ?? y))
  return gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0
}

function cellsOf(segments: readonly Segment[], columns: readonly Column[]): (string | null)[] {
  const cells: Word[][] = columns.map(() => [])
  const lefts = columns.map(({ left }) => left)
  for (const segment of segments) {
    const touched = columns.filter((column) => overlap(segment, column) > MEETING)
    const index = columnAt(columns, segment)
    for (const word of segment.words)
      if (touched.length < 2) cells[index]?.push(word)
      else for (const part of splitWord(word, lefts)) cells[columnAt(columns, part)]?.push(part)
  }
  return cells.map((words) => (words.length === 0 ? null : textOfWords(words)))
}

/** Returns the column with the largest overlap with a text, or else the nearest one. */
function columnAt(columns: readonly Column[], text: Column): number {
  let [best, most] = [0, -Infinity]
  for (const [index, column] of columns.entries()) {
    const shared = overlap(text, column)
    if (shared > most) [best, most] = [index, shared]
  }
  return best
}

/** Returns the overlap of two stretches. A negative number is their distance. */
function overlap(a: Column, b: Column): number {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left)
}

/** True for text in columns and for lists, whose marks look like a column. */
function isProse(rows: readonly (readonly (string | null)[])[], width: number): boolean {
  const means = Array.from({ length: width }, (_, index) => {
    const texts = rows.flatMap((cells) => cells[index] ?? [])
    return texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length)
  })
  if (means.every((mean) => mean > PROSE)) return true
  return width === 2 && rows.every(([first]) => first == null || MARK.test(first))
}
