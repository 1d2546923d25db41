import { isList } from '../../kernel/json.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'
import { typeOfReading } from './field-schema.ts'
import type { ProductPart } from './source-parts.ts'
import { typeOfValue } from '../export/infer-columns.ts'
import type { Field, FieldSource } from './recipe-input.ts'
import type { Recipe } from './schema.ts'

/**
 * Column types of converted values. The type of a name not listed here is known only from the
 * values.
 */
const BY_TYPE: Readonly<Record<string, ExportColumnType>> = {
  text: 'text',
  html: 'text',
  markdown: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  date: 'date',
  url: 'url',
  media: 'url',
  json: 'json',
}
/** Column types of the page formats. */
const BY_FORMAT: Readonly<Record<string, ExportColumnType>> = {
  markdown: 'text',
  text: 'text',
  html: 'text',
  links: 'json',
  metadata: 'json',
  screenshot: 'url',
}

/** Column types of the parts of a product. Any other part is a text. */
const OF_PRODUCT: Partial<Readonly<Record<ProductPart, ExportColumnType>>> = {
  price: 'number',
  rating: 'number',
  reviews: 'number',
  image: 'url',
  reasons: 'json',
}

/** Returns the column types that the recipe itself determines. */
export function columnTypes({ extract, formats }: Recipe): ReadonlyMap<string, ExportColumnType> {
  const types = new Map<string, ExportColumnType>()
  if (extract === 'auto') return types
  const note = (name: string, type: ExportColumnType | null | undefined) =>
    void (type && types.set(name, type))
  // The types of detected columns are known only from the rows.
  if (typeof extract === 'string') return types
  const fields = extract?.fields
  if (fields === undefined) note('url', 'url')
  else for (const [name, field] of Object.entries(fields)) note(name, typeOfField(field))
  for (const format of formats ?? (fields === undefined ? ['metadata', 'markdown'] : []))
    note(format, BY_FORMAT[format])
  return types
}

function typeOfField(field: Field): ExportColumnType | null {
  const sources = isList(field) ? field : [field]
  const types = new Set(
    sources.map((source) => (typeof source === 'string' ? 'text' : typeOfSource(source))),
  )
  const [only] = types
  if (types.size === 1) return only ?? null
  return [...types].every((type) => type === 'number' || type === 'integer') ? 'number' : null
}

function typeOfSource(source: FieldSource): ExportColumnType | null {
  if (source.many === true || source.fields !== undefined) return 'json'
  if (source.as !== undefined) return BY_TYPE[typeOfReading(source.as)] ?? null
  if (source.const !== undefined) return typeOfValue(source.const)
  if (source.url === true) return 'url'
  if (source.product !== undefined) return OF_PRODUCT[source.product] ?? 'text'
  return source.css !== undefined ||
    source.cell !== undefined ||
    source.meta !== undefined ||
    source.model !== undefined
    ? 'text'
    : null
}
