import { isList } from '../../kernel/json.ts'
import type { DetectedRecipe } from './auto-extract.ts'
import { modelItems } from './compile-model.ts'
import type { Field, FieldSource } from './field-schema.ts'

/** Formats that a PDF has. */
const OF_PDF: ReadonlySet<string> = new Set(['markdown', 'text', 'metadata', 'article'])

/**
 * Whether a recipe takes anything of a PDF, which has text, for patterns and models, and a document
 * for JSONPaths, and no elements. Reading one takes longer than fetching it, so one that gives
 * nothing is not read.
 */
export function readsPdf({ extract, formats }: DetectedRecipe): boolean {
  const { items, fields } = extract ?? {}
  if (items !== undefined) return items.startsWith('$') || modelItems(items) !== null
  return formats === undefined
    ? fields === undefined || Object.values(fields).some(isOfData)
    : formats.some((format) => OF_PDF.has(format)) || Object.values(fields ?? {}).some(isOfData)
}

function isOfData(field: Field): boolean {
  return isList(field) ? field.some(isSourceOfData) : isSourceOfData(field)
}

function isSourceOfData(source: string | FieldSource): boolean {
  if (typeof source === 'string') return source.startsWith('$')
  const {
    css,
    xpath,
    json,
    jsonld,
    meta,
    microdata,
    const: constant,
    url,
    page,
    model,
    regex,
  } = source
  if (css !== undefined || xpath !== undefined) return false
  return (
    json !== undefined ||
    model !== undefined ||
    (regex !== undefined &&
      [jsonld, meta, microdata, constant, url, page].every((other) => other === undefined))
  )
}
