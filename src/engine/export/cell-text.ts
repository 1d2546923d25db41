import type { Json } from '../../kernel/json.ts'
import { numberText } from './number-text.ts'

/** A value as the text of a cell: nothing is empty, lists and objects are JSON. */
export function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
