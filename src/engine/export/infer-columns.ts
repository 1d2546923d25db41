import type { Json, Row } from '../../kernel/json.ts'
import type { ColumnType } from '../../ports/row-work.ts'

/**
 * Adds what a row says of the open columns. Strings are text, whatever they look like; a column
 * with values of several kinds is `json`, and one without any stays open.
 */
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
  found.set(
    name,
    known === undefined ? type : isNumeric(known) && isNumeric(type) ? 'number' : 'json',
  )
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
