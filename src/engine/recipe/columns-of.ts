import type { Recipe } from './schema.ts'

/**
 * The columns of a recipe's rows, in order, without compiling it; none where they are not known
 * before the rows are.
 */
export function columnsOf({ extract, formats }: Recipe): readonly string[] {
  if (extract === 'auto') return []
  const fields = extract?.fields && Object.keys(extract.fields)
  if (extract?.items !== undefined) return fields ?? []
  return [...(fields ?? ['url']), ...new Set(formats ?? (fields ? [] : ['metadata', 'markdown']))]
}
