import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { SourceMatch } from '../../ports/page-processor.ts'
import { hasValue } from '../extract/value/convert.ts'
import { isXPath } from '../recipe/field-schema.ts'
import type { Fields, FieldSource } from '../recipe/field-schema.ts'

/**
 * A source with the two questions that tell how it does: the values it gives, and what it finds
 * before it makes them values.
 */
export interface Probe {
  readonly field: string
  readonly path: string
  readonly column: string
  readonly source: FieldSource
  readonly matches: FieldSource
}

const HERE = ':scope'
/** Of a source: what is made of what it finds. Everything else says where to look. */
const HOW: readonly string[] = ['attr', 'as', 'many', 'fields', 'transform', 'group']
/** Where to look; what stands beside them says what is made of their elements. */
const ELEMENTS: readonly string[] = ['css', 'xpath']

/** The probes of all sources of all fields. */
export function probesOf(fields: Fields): Probe[] {
  return Object.entries(fields).flatMap(([field, written]) => {
    const path = `extract.fields.${field}`
    const sources = isList(written)
      ? written.map((source, at) => ({ source, path: `${path}.${at}` }))
      : [{ source: written, path }]
    // What a model finds is known when it has answered.
    return sources
      .filter(({ source }) => typeof source === 'string' || source.model === undefined)
      .map(({ source, path: place }, at) => {
        const full = typeof source === 'string' ? sourceOf(source) : withoutDefault(source)
        return {
          field,
          path: place,
          column: `${field}/${at}`,
          source: full,
          matches: matchesOf(full),
        }
      })
  })
}

/**
 * What a probe found in a page's rows. `filled`: the rows in which a source before it gave the
 * field its value; those of this one are added.
 */
export function readProbe(
  { field, path, column, source }: Probe,
  rows: readonly Row[],
  filled: Set<number>,
): SourceMatch {
  let [matches, values, used] = [0, 0, 0]
  let sample: Json = null
  let failed: SourceMatch['failed'] = null
  for (const [at, row] of rows.entries()) {
    const value = row[`${column} value`]
    const found = row[`${column} matches`]
    const list = Array.isArray(found) ? found : []
    matches += list.length
    failed ??= failureOf(source, list, value ?? null)
    if (!hasValue(value)) continue
    if (values++ === 0) sample = value ?? null
    if (filled.has(at)) continue
    filled.add(at)
    used++
  }
  return { field, path, source: nameOf(source), matches, values, used, sample, failed }
}

/**
 * The same places, each as it stands there: elements with their text and what is made of it, other
 * values as they are.
 */
function matchesOf(source: FieldSource): FieldSource {
  if (source.css === undefined) return { ...pick(source), many: true }
  if (source.fields !== undefined)
    return { css: source.css, many: true, fields: { text: { const: '' }, value: { const: true } } }
  const { css, many: _, ...reading } = source
  const attr = source.attr === undefined ? {} : { attr: source.attr }
  return {
    css,
    many: true,
    fields: { text: { css: HERE, ...attr }, value: { ...reading, css: HERE } },
  }
}

function failureOf(
  source: FieldSource,
  found: readonly Json[],
  value: Json,
): SourceMatch['failed'] {
  const as = source.as ?? 'text'
  if (source.css === undefined)
    return found.length > 0 && !hasValue(value) ? { text: textOf(found[0] ?? null), as } : null
  // Without `many` only the first element counts.
  const wrong = (source.many === true ? found : found.slice(0, 1)).find(
    (one) => memberOf(one, 'value') === null,
  )
  return wrong === undefined
    ? null
    : {
        text: textOf(memberOf(wrong, 'text')),
        as: source.attr === undefined ? as : `${as} of ${source.attr}`,
      }
}

function sourceOf(text: string): FieldSource {
  return text.startsWith('$') ? { json: text } : isXPath(text) ? { xpath: text } : { css: text }
}

/** Where the source looks, without what it makes of it. */
function pick(source: FieldSource): FieldSource {
  const kind = kindOf(source)
  return Object.fromEntries(
    Object.entries(source).filter(([name]) => name === kind || name === 'attr'),
  )
}

/** A value that is given where nothing was found says nothing of the source. */
function withoutDefault(source: FieldSource): FieldSource {
  const isDefault = (step: unknown): boolean =>
    typeof step === 'object' && step !== null && 'default' in step
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => [
      name,
      name === 'transform' && Array.isArray(value)
        ? value.filter((step) => !isDefault(step))
        : value,
    ]),
  )
}

/**
 * The part of a source that says where to look: elements first, as a pattern or a path may stand
 * beside them.
 */
function kindOf(source: FieldSource): string {
  const kinds = Object.keys(source).filter((name) => !HOW.includes(name))
  return (
    kinds.find((name) => ELEMENTS.includes(name)) ??
    kinds.find((name) => name !== 'regex') ??
    kinds[0] ??
    ''
  )
}

function nameOf(source: FieldSource): string {
  const kind = kindOf(source)
  const value = Object.entries(source).find(([name]) => name === kind)?.[1]
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  return kind === 'url'
    ? kind
    : `${kind} ${written}${source.attr === undefined ? '' : ` @${source.attr}`}`
}

function memberOf(value: Json, name: string): Json {
  return typeof value === 'object' && value !== null && name in value
    ? (Object.entries(value).find(([key]) => key === name)?.[1] ?? null)
    : null
}

function textOf(value: Json): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}
