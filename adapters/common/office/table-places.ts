/** A text in a table of mammoth's document, with its columns and rows. */
export interface Place {
  readonly column: number
  readonly width: number
  /** The row above which its cell ends. */
  readonly end: number
  readonly text: string
  /** True if its cell began in a row above. */
  readonly isCovered: boolean
}

/** The texts of rows with their first columns. Cells of rows above may cover some columns. */
export function placesOf(rows: readonly unknown[]): (readonly Place[])[] {
  const covered = new Map<number, Place>()
  return rows.map((row, index) => {
    const places: Place[] = []
    let column = 0
    const pass = (): void => {
      for (let above = covered.get(column); above !== undefined; above = covered.get(column)) {
        if (above.end <= index + 1) covered.delete(column)
        // Rows with overlapping cells may have passed this column already.
        if (above.end <= index) continue
        places.push(above)
        column += above.width
      }
    }
    for (const cell of childrenOf(row)) {
      pass()
      const [width, height] = [spanOf(cell, 'colSpan'), spanOf(cell, 'rowSpan')]
      const place = { column, width, end: index + height, text: textIn(cell), isCovered: false }
      places.push(place)
      if (height > 1) covered.set(column, { ...place, isCovered: true })
      column += width
    }
    pass()
    return places
  })
}

/**
 * Ends the cells of the first rows with these rows, because headings do not reach further. If a
 * cell reached further, it is repeated in the rows below, so that the other cells stay in their
 * columns. If it reaches only into the first record, it is empty there, because then it is a
 * heading that is too long. It is not empty if the column has other cells that reach down, as
 * sections do.
 */
export function endCells(
  rows: readonly unknown[],
  { places, count }: { readonly places: readonly (readonly Place[])[]; readonly count: number },
): void {
  const reaching = new Map<number, unknown>()
  const sections = new Set<number>()
  for (const [index, row] of places.entries())
    for (const { column, end, isCovered } of index < count ? [] : row)
      if (!isCovered && end > index + 1) sections.add(column)
  for (const [index, row] of rows.slice(0, count).entries()) {
    const cells = childrenOf(row).values()
    for (const { column, width, end, isCovered } of places[index] ?? []) {
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
  const cells = (places[count] ?? []).map(({ isCovered, column }) =>
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

/** The text of a node, without that of tables in it. */
export function textIn(part: unknown): string {
  if (Reflect.get(Object(part), 'type') === 'table') return ''
  const value: unknown = Reflect.get(Object(part), 'value')
  return typeof value === 'string' ? value.trim() : childrenOf(part).map(textIn).join('').trim()
}
