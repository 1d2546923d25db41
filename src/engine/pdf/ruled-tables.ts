import type { Rule, PageRules } from './page-rules.ts'
import { firstFrom, splitWord, textOfWords } from './page-words.ts'
import type { PageTable, Word } from './page-words.ts'

/** Maximum gap between lines that meet, in points. */
const MISS = 3
/** Maximum height of letters in a table. */
const TALLEST = 100
/** Maximum number of columns and rows of one table. */
const MOST_COLUMNS = 200
const MOST_ROWS = 1_000
/** Minimum share of a cell's side that a line must cover to separate two cells. */
const COVER = 0.5

/**
 * Finds tables that lines divide into cells. A word belongs to the cell that contains its middle.
 * Cells without a line between them are merged, and each of them gets the text.
 */
export function ruledTables(
  { horizontal, vertical }: PageRules,
  words: readonly Word[],
): PageTable[] {
  const sorted = words.toSorted((a, b) => a.y - b.y)
  return groupsOf(horizontal, vertical).flatMap(([rows, columns]) => {
    const xs = coordinates(columns)
    const ys = coordinates(rows)
    if (xs.length < 3 || ys.length < 3) return []
    if (xs.length > MOST_COLUMNS + 1 || ys.length > MOST_ROWS + 1) return []
    const [top = 0, bottom = 0] = [ys[0], ys.at(-1)]
    const near = sorted.slice(
      firstFrom(sorted, top, ({ y }) => y),
      firstFrom(sorted, bottom + TALLEST, ({ y }) => y),
    )
    return tableOf(xs, ys, columns, rows, near)
  })
}

/** Returns the lines that touch each other, as groups. */
function groupsOf(
  horizontal: readonly Rule[],
  vertical: readonly Rule[],
): (readonly [Rule[], Rule[]])[] {
  const roots = Array.from({ length: horizontal.length + vertical.length }, (_, index) => index)
  const rootOf = (position: number): number => {
    let root = position
    while (roots[root] !== root) {
      const up = roots[root] ?? root
      roots[root] = roots[up] ?? up
      root = up
    }
    return root
  }
  // Only lines near each other are compared. The sort order excludes all others.
  const byPosition = horizontal
    .map((rule, index) => ({ rule, at: index }))
    .toSorted((a, b) => a.rule.at - b.rule.at)
  for (const [column, { at, from, to }] of vertical.entries()) {
    for (
      let next = firstFrom(byPosition, from - MISS, ({ rule }) => rule.at);
      next < byPosition.length;
      next++
    ) {
      const row = byPosition[next]
      if (row === undefined || row.rule.at > to + MISS) break
      if (row.rule.from - MISS <= at && at <= row.rule.to + MISS)
        roots[rootOf(row.at)] = rootOf(horizontal.length + column)
    }
  }
  const groups = new Map<number, readonly [Rule[], Rule[]]>()
  const groupAt = (position: number): readonly [Rule[], Rule[]] => {
    const root = rootOf(position)
    const group = groups.get(root) ?? ([[], []] as const)
    groups.set(root, group)
    return group
  }
  for (const [step, rule] of horizontal.entries()) groupAt(step)[0].push(rule)
  for (const [index, rule] of vertical.entries()) groupAt(horizontal.length + index)[1].push(rule)
  return [...groups.values()]
}

/** Returns the different positions of lines in order. Positions near each other count as one. */
function coordinates(rules: readonly Rule[]): number[] {
  const positions: number[] = []
  for (const position of rules.map((rule) => rule.at).toSorted((a, b) => a - b))
    if (position - (positions.at(-1) ?? -Infinity) > MISS) positions.push(position)
  return positions
}

function tableOf(
  xs: readonly number[],
  ys: readonly number[],
  vertical: readonly Rule[],
  horizontal: readonly Rule[],
  words: readonly Word[],
): PageTable[] {
  const [width, height] = [xs.length - 1, ys.length - 1]
  const right = partings(xs, ys, vertical)
  const below = partings(ys, xs, horizontal)
  const owners = Array.from({ length: width * height }, (_, index) => index)
  // From left to right and top to bottom, each cell joins the one before it if no line is between
  // them.
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const position = row * width + column
      if (column > 0 && !right.has(column * height + row))
        owners[position] = owners[position - 1] ?? position
      else if (row > 0 && !below.has(row * width + column))
        owners[position] = owners[position - width] ?? position
    }
  const texts = new Map<number, Word[]>()
  const inside: Word[] = []
  const pieces = words.flatMap((whole) => splitWord(whole, xs).map((word) => ({ whole, word })))
  for (const { whole, word } of pieces) {
    const column = stretchOf(xs, (word.left + word.right) / 2)
    const row = stretchOf(ys, word.y - word.height / 3)
    if (column === -1 || row === -1) continue
    const owner = owners[row * width + column] ?? 0
    const others = texts.get(owner)
    if (others === undefined) texts.set(owner, [word])
    else others.push(word)
    inside.push(whole)
  }
  if (texts.size < 4) return []
  const joined = new Map([...texts].map(([owner, parts]) => [owner, textOf(parts)]))
  const rows = ys
    .slice(1)
    .map((_, row) =>
      xs.slice(1).map((__, column) => joined.get(owners[row * width + column] ?? -1) ?? null),
    )
    .filter((cells) => cells.some((cell) => cell !== null))
  return [
    { top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0, columns: xs.slice(0, -1), rows, words: inside },
  ]
}

/** Returns the sides of cells that have a line: `position * (number of cells along it) + cell`. */
function partings(
  positions: readonly number[],
  others: readonly number[],
  rules: readonly Rule[],
): ReadonlySet<number> {
  const count = others.length - 1
  const sides = new Set<number>()
  for (const { at, from, to } of rules) {
    const position = positionOf(positions, at)
    for (let cell = 0; cell < count; cell++) {
      const [start = 0, end = 0] = [others[cell], others[cell + 1]]
      if (Math.min(to, end) - Math.max(from, start) >= COVER * (end - start))
        sides.add(position * count + cell)
    }
  }
  return sides
}

/** Returns the index of a line's position: the first of the positions near it. */
function positionOf(positions: readonly number[], offset: number): number {
  const next = firstFrom(positions, offset, (position) => position)
  return positions[next] === offset ? next : Math.max(0, next - 1)
}

/** Returns the index of the stretch that contains a coordinate, or -1. */
function stretchOf(positions: readonly number[], offset: number): number {
  const next = firstFrom(positions, offset, (position) => position)
  return next === positions.length ? -1 : next - 1
}

/** The words of a cell, line by line. */
function textOf(words: readonly Word[]): string {
  return textOfWords(
    words.toSorted((a, b) => (Math.abs(a.y - b.y) > a.height / 3 ? a.y - b.y : a.left - b.left)),
  )
}
