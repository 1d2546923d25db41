import type { Json, Row } from '../../kernel/json.ts'
import type { Column, ColumnType } from '../../ports/row-work.ts'

/**
 * The columns with every type known: what nobody has said is taken from all of the values. Strings are text, whatever they
 * look like; a column without values is text, one with values of several kinds is `json`.
 */
export async function inferColumns(rows: AsyncIterable<readonly Row[]>, columns: readonly Column[]): Promise<readonly Column[]> {
  const open = columns.filter(({ type }) => type === null).map(({ name }) => name)
  const found = new Map<string, ColumnType>()
  if (open.length > 0) {
    for await (const batch of rows) {
      for (const row of batch) noteTypes(found, open, row)
      if (open.every((name) => found.get(name) === 'json')) break
    }
  }
  return columns.map(({ name, type }) => ({ name, type: type ?? found.get(name) ?? 'text' }))
}

/** Adds what a row says of the open columns. */
export function noteTypes(found: Map<string, ColumnType>, open: readonly string[], row: Row): void {
  for (const name of open) {
    const type = typeOfValue(Object.hasOwn(row, name) ? row[name] : null)
    if (type !== null) addType(found, name, type)
  }
}

/** Adds a type that values of a column have. */
export function addType(found: Map<string, ColumnType>, name: string, type: ColumnType): void {
  const known = found.get(name)
  if (known === type || known === 'json') return
  found.set(name, known === undefined ? type : isNumeric(known) && isNumeric(type) ? 'number' : 'json')
}

/** What a value is by itself; `null` for nothing. */
export function typeOfValue(value: Json | undefined): ColumnType | null {
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number'
    case 'boolean':
      return 'boolean'
    default:
      return value === null || value === undefined ? null : 'json'
  }
}

function isNumeric(type: ColumnType): boolean {
  return type === 'number' || type === 'integer'
}
