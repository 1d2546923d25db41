/** A run of text at its position on a page, in points from the upper left corner. */
export interface Word {
  readonly text: string
  readonly left: number
  readonly right: number
  /** The baseline. */
  readonly y: number
  /** Height of the letters. */
  readonly height: number
}

/** Words side by side, separated from others of their line by a gap. */
export interface Segment {
  readonly left: number
  readonly right: number
  readonly words: readonly Word[]
}

/** Words on one baseline. */
export interface Line {
  readonly y: number
  readonly height: number
  readonly segments: readonly Segment[]
}

/** A table with its position on a page. */
export interface PageTable {
  readonly top: number
  readonly bottom: number
  /** The left edges of its columns. */
  readonly columns: readonly number[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** The words in it. */
  readonly words?: readonly Word[]
}

/** A transformation of coordinates in the form of PDF (ISO 32000-2, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number]

/** Gap between columns, in heights of a letter. The spaces of justified text are narrower. */
const COLUMN_GAP = 0.7
/** Gap between words, in heights of a letter, that separates columns if it occurs in several lines. */
const WORD_GAP = 0.3
/** Gap between parts of one word. */
const TOUCHING = 0.1
/**
 * Minimum number of lines around a line that have a gap at the same position, and number of lines
 * that are checked.
 */
const RECURRING = 3
const AROUND = 4
/** Maximum number of letters between the position of a cut and the next space. */
const NEAR_CUT = 4
/** Maximum distance of baselines in one line, in heights of a letter. */
const SAME_LINE = 0.35
/** Slope up to which text counts as horizontal. */
const SLOPE = 0.05

/** Returns `first` followed by `then`. */
export function multiply(first: Matrix, then: Matrix): Matrix {
  const [a, b, c, d, e, f] = first
  const [g, h, i, j, k, l] = then
  return [
    a * g + b * i,
    a * h + b * j,
    c * g + d * i,
    c * h + d * j,
    e * g + f * i + k,
    e * h + f * j + l,
  ]
}

/** Returns a matrix if the value is six numbers, else `null`. */
export function matrixOf(value: unknown): Matrix | null {
  if (typeof value !== 'object' || value === null || !('length' in value)) return null
  const [a, b, c, d, e, f] = Array.from({ length: 6 }, (_, index): unknown =>
    Reflect.get(value, index),
  )
  return typeof a === 'number' &&
    typeof b === 'number' &&
    typeof c === 'number' &&
    typeof d === 'number' &&
    typeof e === 'number' &&
    typeof f === 'number'
    ? [a, b, c, d, e, f]
    : null
}

/**
 * Rotations of a page by a quarter turn: each makes text horizontal that runs right, down, left or
 * up.
 */
const TURNS: readonly Matrix[] = [
  [1, 0, 0, 1, 0, 0],
  [0, -1, 1, 0, 0, 0],
  [-1, 0, 0, -1, 0, 0],
  [0, 1, -1, 0, 0, 0],
]

/** Returns the view in which most of the text is horizontal: a wide table may lie on its side. */
export function uprightView(items: readonly object[], view: Matrix): Matrix {
  const lengths = TURNS.map(() => 0)
  for (const item of items) {
    if (!('str' in item) || typeof item.str !== 'string') continue
    const matrix = 'transform' in item ? matrixOf(item.transform) : null
    if (matrix === null) continue
    const [a, b] = multiply(matrix, view)
    const isAcross = Math.abs(b) <= SLOPE * Math.abs(a)
    if (!isAcross && Math.abs(a) > SLOPE * Math.abs(b)) continue
    const turn = isAcross ? (a > 0 ? 0 : 2) : b > 0 ? 1 : 3
    lengths[turn] = (lengths[turn] ?? 0) + item.str.trim().length
  }
  const turn = TURNS[lengths.indexOf(Math.max(...lengths))]
  return turn === undefined ? view : multiply(view, turn)
}

/** Returns an item of pdf.js's text as a word, or `null` if it is blank, or not horizontal. */
export function wordOf(item: object, view: Matrix): Word | null {
  if (!('str' in item) || typeof item.str !== 'string' || item.str.trim() === '') return null
  const matrix = 'transform' in item ? matrixOf(item.transform) : null
  const width = 'width' in item && typeof item.width === 'number' ? item.width : 0
  if (matrix === null) return null
  const [a, b, c, d, left, y] = multiply(matrix, view)
  const height = Math.hypot(c, d)
  if (!(a > 0) || Math.abs(b) > SLOPE * a || !(height > 0)) return null
  return { text: item.str.trim(), left, right: left + width, y, height }
}

/** Returns the lines of a page from top to bottom. Words without a gap between them are joined. */
export function linesOf(words: readonly Word[]): readonly Line[] {
  const lines: Word[][] = []
  for (const word of words.toSorted((a, b) => a.y - b.y)) {
    const line = lines.at(-1)
    const first = line?.[0]
    if (
      line !== undefined &&
      first !== undefined &&
      word.y - first.y <= SAME_LINE * Math.min(first.height, word.height)
    )
      line.push(word)
    else lines.push([word])
  }
  const ordered = lines.map((line) => line.toSorted((a, b) => a.left - b.left))
  const isColumn = recurring(ordered)
  return ordered.map((line, index) => ({
    y: line[0]?.y ?? 0,
    height: line.reduce((most, { height }) => Math.max(most, height), 0),
    segments: segmentsOf(line, (left) => isColumn(left, index)),
  }))
}

/** Returns true if words begin at this position, after a gap, in several lines around a line. */
function recurring(lines: readonly (readonly Word[])[]): (left: number, line: number) => boolean {
  const linesByEdge = new Map<number, number[]>()
  for (const [position, words] of lines.entries())
    for (const [index, { left, height }] of words.entries()) {
      const before = words[index - 1]
      if (before === undefined || left - before.right <= WORD_GAP * height) continue
      const others = linesByEdge.get(Math.round(left))
      if (others === undefined) linesByEdge.set(Math.round(left), [position])
      else if (others.at(-1) !== position) others.push(position)
    }
  return (left, line) => {
    let count = 0
    for (const offset of [-1, 0, 1])
      for (const position of nearby(linesByEdge.get(Math.round(left) + offset) ?? [], line))
        if (position !== line) count++
    return count >= RECURRING
  }
}

/** Returns the numbers of a sorted list that are near one. */
function nearby(sorted: readonly number[], line: number): readonly number[] {
  const start = firstFrom(sorted, line - AROUND, (position) => position)
  const end = firstFrom(sorted, line + AROUND + 1, (position) => position)
  return sorted.slice(start, end)
}

/** Returns the index of the first member of a sorted list that is at least `least`. */
export function firstFrom<T>(
  sorted: readonly T[],
  least: number,
  position: (member: T) => number,
): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const member = sorted[middle]
    if (member !== undefined && position(member) < least) low = middle + 1
    else high = middle
  }
  return low
}

function segmentsOf(words: readonly Word[], isColumn: (left: number) => boolean): Segment[] {
  const segments: { left: number; right: number; words: Word[] }[] = []
  for (const word of words) {
    const { left, right, height } = word
    const last = segments.at(-1)
    const gap = last === undefined ? Infinity : left - last.right
    if (
      last === undefined ||
      gap > COLUMN_GAP * height ||
      (gap > WORD_GAP * height && isColumn(left))
    )
      segments.push({ left, right, words: [word] })
    else {
      last.right = Math.max(last.right, right)
      last.words.push(word)
    }
  }
  return segments
}

/** Returns words as one text, with a space at each gap. */
export function textOfWords(words: readonly Word[]): string {
  return words
    .map(({ text, left, y, height }, index) => {
      const before = words[index - 1]
      const touches =
        before !== undefined &&
        Math.abs(y - before.y) <= SAME_LINE * height &&
        left - before.right <= TOUCHING * height
      return touches ? text : ` ${text}`
    })
    .join('')
    .trim()
}

/**
 * Returns the parts of a word that extends over these gaps, because pdf.js joins texts that are
 * near each other. It is cut at the space next to each gap. All letters count as equally wide.
 */
export function splitWord(word: Word, gaps: readonly number[]): Word[] {
  const parts: Word[] = []
  let rest = word
  for (let index = firstFrom(gaps, word.left, (gap) => gap); index < gaps.length; index++) {
    const gap = gaps[index] ?? Infinity
    if (gap > word.right || !rest.text.includes(' ')) break
    const each = (rest.right - rest.left) / rest.text.length
    const middle = Math.round((gap - rest.left) / each)
    const [before, after] = [rest.text.lastIndexOf(' ', middle), rest.text.indexOf(' ', middle)]
    const cut =
      before === -1 ? after : after === -1 || middle - before <= after - middle ? before : after
    if (cut === -1 || Math.abs(cut - middle) > NEAR_CUT) continue
    const edge = Math.min(rest.left + cut * each, gap)
    parts.push({ ...rest, text: rest.text.slice(0, cut).trim(), right: edge })
    rest = { ...rest, text: rest.text.slice(cut + 1).trim(), left: Math.max(edge, gap) }
  }
  return [...parts, rest].filter(({ text }) => text !== '')
}
