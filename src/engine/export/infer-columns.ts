import type { Json, Row } from '../../kernel/json.ts'
import type { ColumnType } from '../../ports/row-work.ts'

/**
 * Adds the types of a row's values in the columns without a known type. Strings are always text. A
 * column with values of several types becomes `json`; a column without values stays open.
 */
export function noteTypes(found: Map<string, ColumnType>, open: readonly string[], row: Row): void {
  for (const name of open) {
    const type = typeOfValue(Object.hasOwn(row, name) ? row[name] : null)
    if (type !== null) addType(found, name, type)
  }
}

/** Adds one type to a column. */
export function addType(found: Map<string, ColumnType>, name: string, type: ColumnType): void {
  const known = found.get(name)
  if (known === type || known === 'json') return
  found.set(
    name,
    known === undefined ? type : isNumeric(known) && isNumeric(type) ? 'number' : 'json',
  )
}

/** Returns the type of a value, or `null` for an absent value. */
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
