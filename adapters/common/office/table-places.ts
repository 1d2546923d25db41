/** A text of a row of a table of mammoth, and the columns and rows in which it stands. */
export interface Place {
  readonly column: number
  readonly width: number
  /** The row above which its cell ends. */
  readonly end: number
  readonly text: string
  /** Whether its cell began in a row above. */
  readonly isCovered: boolean
}

/** The texts of rows with the columns in which they begin, as cells above may cover some. */
export function placesOf(rows: readonly unknown[]): (readonly Place[])[] {
  const covered = new Map<number, Place>()
  return rows.map((row, index) => {
    const places: Place[] = []
    let column = 0
    const pass = (): void => {
      for (let above = covered.get(column); above !== undefined; above = covered.get(column)) {
        if (above.end <= index + 1) covered.delete(column)
        // Rows whose cells lie over each other may have passed it by.
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
 * Ends the cells of the first rows with these, as headings reach no further. What reached further
 * stands in the rows below once more, so that the other cells stay in their columns. It is empty
 * beside the first record alone: that is a heading that reaches too far, unless the column has
 * other cells that reach down, as sections do.
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

/** The parts of a part of a document of mammoth. */
export function childrenOf(part: unknown): readonly unknown[] {
  const children: unknown = Reflect.get(Object(part), 'children')
  return Array.isArray(children) ? children : []
}

/** The text of a part, without that of tables in it. */
export function textIn(part: unknown): string {
  if (Reflect.get(Object(part), 'type') === 'table') return ''
  const value: unknown = Reflect.get(Object(part), 'value')
  return typeof value === 'string' ? value.trim() : childrenOf(part).map(textIn).join('').trim()
}
