import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** A value that an agent wants. */
export interface Wanted {
  readonly name: string
  /** `as` of a source; `null`: as it is. */
  readonly as: string | null
  /** True if it is a list of such values. */
  readonly many: boolean
  /** The parts of an object. Empty: it is none. */
  readonly parts: readonly Wanted[]
  /** A question for a model. */
  readonly question: string
}

/** Types of JSON Schema → `as` of a source. */
const TYPES: Readonly<Record<string, string>> = {
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  string: 'text',
}
const FORMATS: Readonly<Record<string, string>> = {
  uri: 'url',
  'uri-reference': 'url',
  url: 'url',
  date: 'date',
  'date-time': 'date',
}
/** Names for the same thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['title', 'name', 'heading', 'headline', 'product', 'label'],
  ['price', 'cost', 'amount'],
  ['url', 'link', 'href', 'address'],
  ['image', 'picture', 'photo', 'img', 'thumbnail'],
  ['description', 'summary', 'text', 'excerpt', 'abstract'],
  ['date', 'published', 'time', 'datetime', 'day'],
  ['author', 'by', 'writer'],
  ['rating', 'star', 'score'],
]

/** Lists and wrappers around a row. */
const DEEPEST = 4
/** More columns are no table that an agent reads. */
export const MOST_COLUMNS = 100
/** Steps from a reference or a choice to what it stands for. */
const MOST_STEPS = 8

/**
 * Values that a JSON Schema of a row, or of a list of rows, names; one more than the most, if it
 * names more.
 */
export function wantedOf(schema: Data): readonly Wanted[] {
  return partsOf(rowOf(schema), schema, true)
}

/** Looks below lists, and below an object whose only property is a list of objects. */
function rowOf(root: Data): Data {
  let now = plainSchema(root, root)
  for (let depth = 0; depth < DEEPEST; depth++) {
    const { items, properties } = now
    if (isObject(items)) {
      now = plainSchema(items, root)
      continue
    }
    if (!isObject(properties)) return {}
    const [only, ...others] = Object.values(properties)
    const list = others.length > 0 || !isObject(only) ? {} : plainSchema(only, root)
    if (!isObject(list['items']) || !isObject(plainSchema(list['items'], root)['properties']))
      return now
    now = list
  }
  return {}
}

/** `isRow`: objects in it have parts. Below these none are read: a schema may refer to itself. */
function partsOf({ properties }: Data, root: Data, isRow: boolean): readonly Wanted[] {
  if (!isObject(properties)) return []
  const some = Object.entries(properties).slice(0, MOST_COLUMNS + 1)
  return some.map(([name, described]) => {
    const property = isObject(described) ? plainSchema(described, root) : {}
    const { description, items } = property
    const one = isObject(items) ? plainSchema(items, root) : property
    return {
      name,
      as: typeOf(one),
      many: isObject(items) || property['type'] === 'array',
      parts: isRow ? partsOf(one, root, false) : [],
      question: typeof description === 'string' ? description.slice(0, 500) : `The ${name}`,
    }
  })
}

/**
 * A schema without references to another part of it, and of a choice the first that is not `null`:
 * so write libraries that make schemas of types.
 */
function plainSchema(schema: Data, root: Data): Data {
  let now = schema
  for (let step = 0; step < MOST_STEPS; step++) {
    const { $ref: reference, anyOf, oneOf, allOf, ...rest } = now
    const choices = [anyOf, oneOf, allOf].find(Array.isArray)
    const next =
      typeof reference === 'string'
        ? placeIn(root, reference)
        : choices?.find((one) => isObject(one) && one['type'] !== 'null')
    if (!isObject(next)) return now
    now = { ...next, ...rest }
  }
  return {}
}

/** What a reference within a document leads to, such as `#/$defs/Product`. */
function placeIn(root: Data, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').slice(1, 20)
  return names.reduce<unknown>((place, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined
  }, root)
}

function typeOf({ type, format }: Data): string | null {
  const types = Array.isArray(type) ? type : [type]
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format]
  const known = types.find((one) => typeof one === 'string' && TYPES[one] !== undefined)
  return typeof known === 'string' ? (TYPES[known] ?? null) : null
}

/** `price: number`, `price (number)`. */
const TYPED = /^([^:(]+?) ?[:(] ?(text|string|number|integer|boolean|date|url)\)?$/i
const SMALL = /^(?:(?:the|all|each|every|their|its|an?) )+/i

/** Values that plain words name: `title, price and rating of each pen`. */
export function wantedIn(words: string): readonly Wanted[] {
  const names = words
    .replace(/^[^,;\n]* with (?=(?:their|its) )/i, '')
    .split(/,|;|\n| and | und | et | y /i)
    .map((part) =>
      part
        .trim()
        .replace(/^(?:and|und|et|y) /i, '')
        .replace(SMALL, ''),
    )
    .filter((part) => part !== '')
  return [...new Set(names)].slice(0, 50).map((part) => {
    const [, name = part, type = ''] = TYPED.exec(part) ?? []
    const word = type.toLowerCase()
    return {
      name: keyOf(name),
      as: TYPES[word] ?? (type === '' ? null : word),
      many: false,
      parts: [],
      question: name,
    }
  })
}

/** `Price of the pen` → `price`: what stands before the first small word. */
function keyOf(words: string): string {
  const [first = words] = words.split(/ (?:of|per|for|from|in|on) /i)
  return first.trim().toLowerCase().replaceAll(/\s+/g, '_').slice(0, 100)
}

/** The column that a wanted name means; `null`: none of them. */
export function columnFor(name: string, columns: readonly string[]): string | null {
  const plain = plainOf(name)
  const same = columns.find((column) => plainOf(column) === plain)
  if (same !== undefined) return same
  const words = wordsOf(name)
  const group = SYNONYMS.find((all) => words.some((word) => all.includes(word)))
  const alike = columns.find((column) => {
    const own = wordsOf(column)
    return group
      ? own.some((word) => group.includes(word))
      : own.some((word) => word.length > 2 && words.includes(word))
  })
  return alike ?? null
}

function plainOf(name: string): string {
  return wordsOf(name).join('')
}

/** `priceInEuro`, `price_in_euro` → its words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word))
}
