import { isObject } from '../../../kernel/json.ts'
import type { RecipeField } from './recipe.ts'
import { entryOf } from './steps.ts'
import type { SourceObject, TextStep } from './steps.ts'

/** Types that a value can be read as, the most common first. */
export const TYPES = [
  'text',
  'number',
  'integer',
  'date',
  'url',
  'boolean',
  'media',
  'html',
  'markdown',
  'json',
] as const
/** One of {@link TYPES}. */
export type ColumnValueType = (typeof TYPES)[number]
/** The type of a value, perhaps with its format in the page. */
export type ColumnReading = NonNullable<SourceObject['as']>

const DECIMALS = ['.', ','] as const
const ORDERS = ['dmy', 'mdy', 'ymd'] as const

/** A source that the form shows. */
export interface Source {
  /** A CSS selector or an XPath. */
  readonly path: string
  readonly attr: string
  readonly as: ColumnReading
  readonly steps: readonly TextStep[]
  /** The parts that the form keeps but does not show. */
  readonly rest: Pick<SourceObject, 'regex' | 'group' | 'many'>
}

/** The type of a reading. */
export function typeOf(as: ColumnReading): ColumnValueType {
  return typeof as === 'string'
    ? as
    : as.date !== undefined
      ? 'date'
      : as.integer !== undefined
        ? 'integer'
        : 'number'
}

/** The format of a reading: a sign before fractions, or an order of day, month and year. */
export function formatOf(as: ColumnReading): string {
  if (typeof as === 'string') return ''
  return (as.number ?? as.integer)?.decimal ?? as.date?.order ?? ''
}

/** The formats that values of a type can have. */
export function formatsOf(type: ColumnValueType): readonly string[] {
  return type === 'date' ? ORDERS : type === 'number' || type === 'integer' ? DECIMALS : []
}

/**
 * A reading by its type and format. If the format is empty or belongs to another type, the server
 * finds it.
 */
export function readingOf(type: ColumnValueType, format: string): ColumnReading {
  const decimal = DECIMALS.find((sign) => sign === format)
  const order = ORDERS.find((name) => name === format)
  if (type === 'number' && decimal !== undefined) return { number: { decimal } }
  if (type === 'integer' && decimal !== undefined) return { integer: { decimal } }
  if (type === 'date' && order !== undefined) return { date: { order } }
  return type
}

/** The sources of a column for the form. `null`: one of them can be shown only as JSON. */
export function sourcesOf(field: RecipeField): readonly Source[] | null {
  const sources = (Array.isArray(field) ? field : [field]).map(sourceOf)
  return sources.every((source) => source !== null) ? sources : null
}

/** The parameter has no exact type, because a user may write any JSON. */
function sourceOf(source: unknown): Source | null {
  if (typeof source === 'string')
    return source.startsWith('$')
      ? null
      : { path: source, attr: '', as: 'text', steps: [], rest: {} }
  if (!isObject(source)) return null
  const { css, xpath, attr = '', as = 'text', transform = [], ...others } = source
  const { regex, group, many } = others
  const path = css ?? xpath
  const reading = knownReading(as)
  const rest = {
    ...(typeof regex === 'string' && { regex }),
    ...((typeof group === 'string' || typeof group === 'number') && { group }),
    ...(typeof many === 'boolean' && { many }),
  }
  if (typeof path !== 'string' || typeof attr !== 'string' || reading === null) return null
  // The member's name says how a path is read. The form knows only how the path begins.
  if (isXPath(path) !== (xpath !== undefined) || (css !== undefined && xpath !== undefined))
    return null
  if (Object.keys(rest).length !== Object.keys(others).length) return null
  if (!Array.isArray(transform)) return null
  if (!transform.every((step) => entryOf(step) !== null)) return null
  return { path, attr, as: reading, steps: transform, rest }
}

function knownReading(as: unknown): ColumnReading | null {
  const name = typeof as === 'string' ? as : isObject(as) ? Object.keys(as)[0] : undefined
  const type = TYPES.find((choice) => choice === name)
  if (type === undefined) return null
  const inner = isObject(as) ? as[type] : null
  const format = isObject(inner) ? (inner['decimal'] ?? inner['order']) : ''
  const reading = readingOf(type, typeof format === 'string' ? format : '')
  return JSON.stringify(reading) === JSON.stringify(as) ? reading : null
}

/** A column's sources from the form. */
export function fieldOf(sources: readonly Source[]): RecipeField {
  const listed = sources.map(({ path, attr, as, steps, rest }) => {
    const more = {
      ...(attr !== '' && { attr }),
      ...rest,
      ...(steps.length > 0 && { transform: steps }),
      ...(as !== 'text' && { as }),
    }
    if (Object.keys(more).length === 0) return path
    return isXPath(path) ? { xpath: path, ...more } : { css: path, ...more }
  })
  const [only] = listed
  return listed.length === 1 && only !== undefined ? only : listed
}

/** No CSS selector begins like an XPath. */
function isXPath(path: string): boolean {
  return /^\s*(?:\/|\(|\.\/|\.\.)/.test(path)
}
