import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** A value that an agent wants. */
export interface Wanted {
  readonly name: string
  /** `as` of a source; `null`: as it is. */
  readonly as: string | null
  /** A question for a model. */
  readonly question: string
}

/** Types of JSON Schema → `as` of a source. */
const TYPES: Readonly<Record<string, string>> = {
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
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
  ['rating', 'stars', 'score'],
]

/** Values that a JSON Schema of a row, or of a list of rows, names. */
export function wantedOf(schema: Data): readonly Wanted[] {
  const properties = propertiesOf(schema)
  return Object.entries(properties).map(([name, described]) => {
    const property = isObject(described) ? described : {}
    const { description } = property
    return {
      name,
      as: typeOf(property),
      question: typeof description === 'string' ? description.slice(0, 500) : `The ${name}`,
    }
  })
}

/** Looks below lists, and below an object whose only property is a list of objects. */
function propertiesOf(schema: Data): Data {
  for (let depth = 0, now = schema; depth < 4; depth++) {
    const { items, properties } = now
    if (isObject(items)) {
      now = items
      continue
    }
    if (!isObject(properties)) return {}
    const [only, ...others] = Object.values(properties)
    if (others.length > 0 || !isObject(only) || !isObject(only['items'])) return properties
    now = only
  }
  return {}
}

function typeOf({ type, format }: Data): string | null {
  const types = Array.isArray(type) ? type : [type]
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format]
  const known = types.find((one) => typeof one === 'string' && TYPES[one] !== undefined)
  return typeof known === 'string' ? (TYPES[known] ?? null) : null
}

/** Values that plain words name: `title, price and rating of each pen`. */
export function wantedIn(words: string): readonly Wanted[] {
  const names = words
    .split(/,|;|\n| and | und | et | y /i)
    .map((part) => part.trim().replace(/^(?:the|all|each|every) /i, ''))
    .filter((part) => part !== '')
  return [...new Set(names)].slice(0, 50).map((name) => ({
    name: keyOf(name),
    as: null,
    question: name,
  }))
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
}
