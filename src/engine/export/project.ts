import type { Json, Row } from '../../kernel/json.ts'

/** Makes rows of the given columns, in their order; a column that a row lacks is `null`. */
export function projector(columns: readonly string[]): (row: Row) => Row {
  return (row) => {
    if (hasExactly(row, columns)) return row
    const projected: [string, Json][] = columns.map((column) => [
      column,
      Object.hasOwn(row, column) ? (row[column] ?? null) : null,
    ])
    return Object.fromEntries(projected)
  }
}

function hasExactly(row: Row, columns: readonly string[]): boolean {
  let at = 0
  for (const key in row) if (columns[at++] !== key) return false
  return at === columns.length
}
