import { isList, isStructure, memberOf } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { ConvertedMatch, SourceMatch } from '../../ports/page-processor.ts'
import { hasValue, isUnclear } from '../extract/value/convert.ts'
import { readsText } from '../extract/source/refine.ts'
import type { Parts } from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { typeOfReading } from '../recipe/field-schema.ts'
import type { Fields, FieldSource } from '../recipe/recipe-input.ts'
import { kindOf, namedSource, sourceOf } from './source-name.ts'

/**
 * A source in the two forms that show how well it works: with its final values, and with the raw
 * matches before conversion.
 */
export interface Probe {
  readonly field: string
  readonly path: string
  readonly column: string
  readonly source: FieldSource
  readonly matches: FieldSource
}

const HERE = ':scope'
const MOST_EXAMPLES = 3
/** Rows that are read in one part, and the steps for each of them. */
const PROBED = 200
const PROBE_STEPS = 30
/** A reason quotes at most this many characters of a page. */
const QUOTED_CHARACTERS = 200

/** Returns the probes of all sources of all fields. */
export function probesOf(fields: Fields): Probe[] {
  return Object.entries(fields).flatMap(([field, sourceOrList]) => {
    const path = `extract.fields.${field}`
    const sources = isList(sourceOrList)
      ? sourceOrList.map((source, index) => ({ source, path: `${path}.${index}` }))
      : [{ source: sourceOrList, path }]
    // A model's values are known only after it has answered.
    return sources
      .filter(({ source }) => typeof source === 'string' || source.model === undefined)
      .map(({ source, path: sourcePath }, index) => {
        const full = typeof source === 'string' ? sourceOf(source) : withoutDefault(source)
        return {
          field,
          path: sourcePath,
          column: `${field}/${index}`,
          source: full,
          matches: matchesOf(full),
        }
      })
  })
}

/**
 * Returns what a probe found in a page's rows. `filled`: the rows in which an earlier source gave
 * the field its value; this probe adds its own rows. `items`: the number of items of the page.
 * `null`: the page itself is the item.
 */
export function* readProbe(
  { field, path, column, source }: Probe,
  rows: readonly Row[],
  filled: Set<number>,
  { language, budget }: PageContent,
  items: number | null,
): Parts<SourceMatch> {
  let [matches, values, used] = [0, 0, 0]
  let sample: Json = null
  let failed: SourceMatch['failed'] = null
  let unclear: SourceMatch['unclear'] = null
  let hasText = false
  let firstText: Json = null
  const examples: ConvertedMatch[] = []
  for (const [index, row] of rows.entries()) {
    budget.unpaid(PROBE_STEPS)
    if (index % PROBED === PROBED - 1) yield
    const value = row[`${column} value`]
    const matched = row[`${column} matches`]
    const list = Array.isArray(matched) ? matched : []
    matches += list.length
    const texts = list.map((match) => textIn(source, match))
    hasText ||= texts.some(hasValue)
    // Without `many`, only the first match of a row counts.
    firstText ??= (source.many === true ? texts : texts.slice(0, 1)).find(hasValue) ?? null
    if (examples.length < MOST_EXAMPLES)
      examples.push(
        ...examplesOf(source, list, value ?? null).slice(0, MOST_EXAMPLES - examples.length),
      )
    failed ??= failureOf(source, list, value ?? null)
    unclear ??= unclearOf(source, list, value ?? null, language)
    if (!hasValue(value)) continue
    if (values++ === 0) sample = value ?? null
    if (filled.has(index)) continue
    filled.add(index)
    used++
  }
  const reason =
    values > 0
      ? null
      : items === 0
        ? 'there is no item to look in: extract.items matches nothing'
        : reasonOf(source, matches, hasText, firstText)
  const name = nameOf(source)
  return {
    field,
    path,
    source: name,
    matches,
    values,
    used,
    sample,
    failed,
    unclear,
    examples,
    reason,
  }
}

/** Returns a match before its conversion. */
function textIn(source: FieldSource, match: Json): Json {
  return source.css === undefined ? match : (memberOf(match, 'text') ?? null)
}

/** Returns the first matches of a row before and after conversion. Nested fields convert nothing. */
function examplesOf(source: FieldSource, matched: readonly Json[], value: Json): ConvertedMatch[] {
  const [first] = matched
  if (source.fields !== undefined || first === undefined) return []
  if (source.many !== true) return [{ before: textIn(source, first), after: value }]
  if (source.css === undefined) return [{ before: matched.slice(0, MOST_EXAMPLES), after: value }]
  return matched.slice(0, MOST_EXAMPLES).map((match) => ({
    before: memberOf(match, 'text') ?? null,
    after: memberOf(match, 'value') ?? null,
  }))
}

/** Says why a source has no values. */
function reasonOf(source: FieldSource, matches: number, hasText: boolean, firstText: Json): string {
  if (matches === 0) return 'matches nothing'
  const count = matches === 1 ? '1 match' : `${matches} matches`
  if (!hasText)
    return source.attr === undefined
      ? `${count}, none with text`
      : `${count}, none with a value in the attribute ${source.attr}`
  const type = typeOfReading(source.as ?? 'text')
  if (firstText === null) return `${count}; the first of each row has no text`
  const text = textOf(firstText)
  const quoted = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text
  return source.regex === undefined && source.transform === undefined
    ? `${count}; ${JSON.stringify(quoted)} cannot be read as ${type}`
    : `${count}; ${JSON.stringify(quoted)} gives no ${type} after its pattern and steps`
}

/**
 * Returns a source for the raw matches: elements with their text and their converted value, other
 * values unchanged.
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
  matched: readonly Json[],
  value: Json,
): SourceMatch['failed'] {
  const as = typeOfReading(source.as ?? 'text')
  if (source.css === undefined)
    return matched.length > 0 && !hasValue(value) ? { text: textOf(matched[0] ?? null), as } : null
  // Without `many`, only the first element counts.
  const wrong = (source.many === true ? matched : matched.slice(0, 1)).find(
    (match) => (memberOf(match, 'value') ?? null) === null,
  )
  return wrong === undefined
    ? null
    : {
        text: textOf(memberOf(wrong, 'text') ?? null),
        as: source.attr === undefined ? as : `${as} of ${source.attr}`,
      }
}

/**
 * The first match that has no value because its text can be read in two ways. A source with a
 * pattern or steps reads another text, which is not known here.
 */
function unclearOf(
  source: FieldSource,
  matched: readonly Json[],
  value: Json,
  language: string | null,
): SourceMatch['unclear'] {
  const { as, css, regex, transform, many } = source
  if (as === undefined || regex !== undefined || transform !== undefined) return null
  if (css === undefined && hasValue(value)) return null
  const counting = many === true ? matched : matched.slice(0, 1)
  const texts =
    css === undefined
      ? counting
      : counting
          .filter((match) => (memberOf(match, 'value') ?? null) === null)
          .map((match) => memberOf(match, 'text'))
  const text = texts.find(
    (match) =>
      typeof match === 'string' && isUnclear(match, as, readsText(source) ? language : null),
  )
  return typeof text === 'string' ? { text, as: typeOfReading(as) } : null
}

/** Returns the members that say where the source looks, without the conversion. */
function pick(source: FieldSource): FieldSource {
  const kind = kindOf(source)
  return Object.fromEntries(
    Object.entries(source).filter(([name]) => name === kind || name === 'attr'),
  )
}

/** Removes the default, because a default says nothing about the matches of the source. */
function withoutDefault(source: FieldSource): FieldSource {
  const isDefault = (step: unknown): boolean => isStructure(step) && 'default' in step
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => [
      name,
      name === 'transform' && Array.isArray(value)
        ? value.filter((step) => !isDefault(step))
        : value,
    ]),
  )
}

function nameOf(source: FieldSource): string {
  const { kind, text } = namedSource(source)
  return text === '' ? kind : `${kind} ${text}`
}

function textOf(value: Json): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}
