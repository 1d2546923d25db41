import type { Json, Row } from '../../kernel/json.ts'

/**
 * Reads the values of a column: what a row has itself, never what every object inherits. Asking a
 * row whether it has a name costs more than reading it, so it is asked for such names alone.
 */
export function createReader(name: string): (row: Row) => Json | undefined {
  return name in Object.prototype
    ? (row) => (Object.hasOwn(row, name) ? row[name] : undefined)
    : (row) => row[name]
}
