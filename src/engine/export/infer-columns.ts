import type { Json, Row } from '../../kernel/json.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'

/**
 * Adds the types of a row's values in the columns without a known type. Strings are always text. A
 * column with values of several types becomes `json`; a column without values stays open.
 */
export function noteTypes(
  types: Map<string, ExportColumnType>,
  open: readonly string[],
  row: Row,
): void {
  for (const name of open) {
    const type = typeOfValue(Object.hasOwn(row, name) ? row[name] : null)
    if (type !== null) addType(types, name, type)
  }
}

/** Adds one type to a column. */
export function addType(
  types: Map<string, ExportColumnType>,
  name: string,
  type: ExportColumnType,
): void {
  const earlier = types.get(name)
  if (earlier === type || earlier === 'json') return
  types.set(
    name,
    earlier === undefined ? type : isNumeric(earlier) && isNumeric(type) ? 'number' : 'json',
  )
}

/** Returns the type of a value, or `null` for an absent value. */
export function typeOfValue(value: Json | undefined): ExportColumnType | null {
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

function isNumeric(type: ExportColumnType): boolean {
  return type === 'number' || type === 'integer'
}
