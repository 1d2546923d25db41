import type { Json } from '../../kernel/json.ts'

/** A value as the text of a cell: nothing is empty, lists and objects are JSON. */
export function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
