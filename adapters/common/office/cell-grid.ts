/** A cell in a table of mammoth's document, with its columns and rows. */
export interface GridCell {
  readonly column: number
  readonly width: number
  /** The row before which it ends. */
  readonly end: number
  readonly text: string
  /** True if it began in a row above. */
  readonly isCovered: boolean
}

/** The cells of each row, with those of rows above that reach down to it. */
export function gridOf(rows: readonly unknown[]): (readonly GridCell[])[] {
  const covered = new Map<number, GridCell>()
  return rows.map((row, index) => {
    const cells: GridCell[] = []
    let column = 0
    const pass = (): void => {
      for (let above = covered.get(column); above !== undefined; above = covered.get(column)) {
        if (above.end <= index + 1) covered.delete(column)
        // Rows with overlapping cells may have passed this column already.
        if (above.end <= index) continue
        cells.push(above)
        column += above.width
      }
    }
    for (const cell of childrenOf(row)) {
      pass()
      const [width, height] = [spanOf(cell, 'colSpan'), spanOf(cell, 'rowSpan')]
      const own = { column, width, end: index + height, text: textIn(cell), isCovered: false }
      cells.push(own)
      if (height > 1) covered.set(column, { ...own, isCovered: true })
      column += width
    }
    pass()
    return cells
  })
}

/**
 * Ends the cells of the first rows at the end of these rows, because headings do not reach further.
 * If a cell reached further, it is repeated in the rows below, so that the other cells stay in
 * their columns. If it reaches only into the first record, its repetition is empty, because it is a
 * heading that is too long. The repetition keeps its text if the column has other cells that reach
 * down, as sections do.
 */
export function endCells(
  rows: readonly unknown[],
  { grid, count }: { readonly grid: readonly (readonly GridCell[])[]; readonly count: number },
): void {
  const reaching = new Map<number, unknown>()
  const sections = new Set<number>()
  for (const [index, row] of grid.entries())
    for (const { column, end, isCovered } of index < count ? [] : row)
      if (!isCovered && end > index + 1) sections.add(column)
  for (const [index, row] of rows.slice(0, count).entries()) {
    const cells = childrenOf(row).values()
    for (const { column, width, end, isCovered } of grid[index] ?? []) {
      const cell = isCovered ? undefined : cells.next().value
      if (cell === undefined || end <= count) continue
      const { children } = Object(cell)
      reaching.set(column, {
        type: 'tableCell',
        children: end === count + 1 && !sections.has(column) ? [] : children,
        colSpan: width,
        rowSpan: end - count,
      })
      Reflect.set(Object(cell), 'rowSpan', count - index)
    }
  }
  if (reaching.size === 0) return
  const own = childrenOf(rows[count]).values()
  const cells = (grid[count] ?? []).map(({ isCovered, column }) =>
    isCovered ? reaching.get(column) : own.next().value,
  )
  Reflect.set(Object(rows[count]), 'children', cells)
}

function spanOf(cell: unknown, name: 'colSpan' | 'rowSpan'): number {
  const span = Number(Reflect.get(Object(cell), name) ?? 1)
  return span >= 1 ? span : 1
}

/** The children of a node of mammoth's document. */
export function childrenOf(part: unknown): readonly unknown[] {
  const children: unknown = Reflect.get(Object(part), 'children')
  return Array.isArray(children) ? children : []
}

/** The text of a node, without the text of tables in it. */
export function textIn(part: unknown): string {
  if (Reflect.get(Object(part), 'type') === 'table') return ''
  const value: unknown = Reflect.get(Object(part), 'value')
  return typeof value === 'string' ? value.trim() : childrenOf(part).map(textIn).join('').trim()
}
