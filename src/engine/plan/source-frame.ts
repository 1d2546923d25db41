import type { Json } from '../../kernel/json.ts'
import { typeOfReading } from '../recipe/field-schema.ts'
import type { Field, FieldSource, Transform } from '../recipe/recipe-input.ts'
import { sourcesOf } from './compile-model.ts'
import { kindOf, sourceOf } from './source-name.ts'

/** The settings of a field that do not depend on its source. */
export interface SourceFrame {
  /** Reads the element that it is applied to. */
  readonly here: FieldSource
  /** Several matches make one value. */
  readonly isMany: boolean
  /** Returns the source that reads the matches of a selector. */
  at(css: string): string | FieldSource
  /** Returns the source that reads a value of the page's JSON-LD. `null`: it reads an attribute. */
  inJsonLd(path: string): FieldSource | null
  /** The same for the content of a meta element. */
  inMeta(name: string): FieldSource | null
}

/** Members that say where to look. */
const WHERE = [
  'css',
  'xpath',
  'cell',
  'json',
  'jsonld',
  'state',
  'meta',
  'microdata',
  'product',
] as const
/** Types whose values are too long, or are made from more than the text of one element. */
const WITHOUT_ELEMENT: readonly string[] = ['html', 'markdown', 'media', 'json']

/**
 * Returns how the field's sources read an element. It is taken from the first source that reads
 * elements or could do so. `null`: no source could. Models, constants and facts of the page are not
 * read from elements.
 */
export function frameOf(field: Field): SourceFrame | null {
  for (const shortOrLong of sourcesOf(field)) {
    const source = typeof shortOrLong === 'string' ? sourceOf(shortOrLong) : shortOrLong
    const frame = frameOfSource(source)
    if (frame !== null) return frame
  }
  return null
}

function frameOfSource(source: FieldSource): SourceFrame | null {
  if (!WHERE.some((kind) => kind === kindOf(source)) || source.fields !== undefined) return null
  if (source.as !== undefined && WITHOUT_ELEMENT.includes(typeOfReading(source.as))) return null
  const {
    css,
    xpath,
    cell: _cell,
    json,
    jsonld: _jsonld,
    state: _state,
    meta: _meta,
    microdata: _microdata,
    product: _product,
    ...how
  } = source
  // JSON within an element is not the element's text.
  if (json !== undefined && (css !== undefined || xpath !== undefined)) return null
  const attr = how.attr ?? (xpath === undefined ? undefined : attributeOfPath(xpath))
  const reading: FieldSource = { ...how, ...(attr !== undefined && { attr }) }
  const { many = false, transform, ...rest } = reading
  const steps = transform?.filter((step) => !isDefault(step)) ?? []
  return {
    here: { ...rest, xpath: '.', ...(steps.length > 0 && { transform: steps }) },
    isMany: many,
    at: (selector) =>
      Object.keys(reading).length === 0 ? selector : { css: selector, ...reading },
    inJsonLd: (path) => (attr === undefined ? { jsonld: path, ...reading } : null),
    inMeta: (name) => (attr === undefined && !many ? { meta: name, ...reading } : null),
  }
}

/** The attribute in the last step of a path. */
function attributeOfPath(xpath: string): string | undefined {
  const last = xpath.slice(xpath.lastIndexOf('/') + 1)
  return /^@[\w-]+$/.test(last) ? last.slice(1) : undefined
}

function isDefault(step: Transform): boolean {
  return typeof step === 'object' && step.default !== undefined
}

/** A source as JSON, without unset members. */
export function jsonOf(source: string | FieldSource): Json {
  return JSON.parse(JSON.stringify(source))
}
