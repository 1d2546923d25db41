import { isObject } from '../../kernel/json.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** The source of a detected column, changed to give values of the wanted type. */
export function sourceFor(source: unknown, value: Pick<Wanted, 'as' | 'many'>): unknown {
  if (Array.isArray(source)) return source.map((single) => sourceFor(single, value))
  const plain = isObject(source) ? source : writtenOut(source)
  if (plain === null) return source
  const as = readingFor(plain['as'], value.as)
  const { css, as: _, ...rest } = plain
  const element = css === undefined ? {} : { css: value.many ? partsOf(css) : css }
  const made = {
    ...element,
    ...rest,
    ...(as !== undefined && { as }),
    ...(value.many && { many: true }),
  }
  // Detection uses the short form for a source without a type.
  return Object.keys(made).length === 1 && !isObject(source) ? source : made
}

/** The question to a model for a wanted value. */
export function questionFor({ question, as, many, parts }: Wanted): Data {
  const fields = Object.fromEntries(parts.map((part) => [part.name, questionFor(part)]))
  return {
    model: question,
    ...(many && { many }),
    ...(parts.length > 0 ? { fields } : as !== null && { as }),
  }
}

/** A source in short form as an object; `null`: it has no such form. */
function writtenOut(source: unknown): Data | null {
  if (typeof source !== 'string') return null
  const kind = source.startsWith('$') ? 'json' : /^(?:\/|\.\/|\()/.test(source) ? 'xpath' : 'css'
  return { [kind]: source }
}

/** Types whose values are not texts. */
const NO_TEXTS: readonly string[] = ['number', 'integer', 'boolean', 'json']

/**
 * The type that values are read as. Facts of the detected type are kept, such as the sign before a
 * fraction, unless the values have another type.
 */
function readingFor(detected: unknown, type: string | null): unknown {
  const [kind, format] = isObject(detected)
    ? (Object.entries(detected)[0] ?? [])
    : [detected, undefined]
  if (type === null || kind === type) return detected
  if (type === 'text') return NO_TEXTS.includes(String(kind)) ? undefined : detected
  if (type === 'number' && kind === 'integer') return detected
  return type === 'integer' && kind === 'number' && format !== undefined
    ? { integer: format }
    : type
}

/** A list on a page has a value in each of its parts. */
function partsOf(css: unknown): unknown {
  return typeof css === 'string' && /(?:^|[\s>])[uo]l[^\s>]*$/.test(css) ? `${css} li` : css
}
