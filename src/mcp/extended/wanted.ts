import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** A value that an agent wants. */
export interface Wanted {
  readonly name: string
  /** `as` of a source. `null`: no conversion. */
  readonly as: string | null
  /** True if the agent wants a list of such values. */
  readonly many: boolean
  /** The parts of an object. Empty: the value is not an object. */
  readonly parts: readonly Wanted[]
  /** True if the value is an object that is nested too deep. Its parts are not read. */
  readonly isTooDeep: boolean
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

/** Names of lists and wrappers around a row. */
const DEEPEST = 4
/** An agent cannot read a table with more columns. */
export const MOST_COLUMNS = 100
/** Limit on the parts of all columns together, because a schema may refer to itself in each column. */
export const MOST_PARTS = 1_000
/** Maximum depth of objects below a row. A schema that refers to itself has no end. */
export const MOST_LEVELS = 4
/** Maximum number of steps to resolve a reference or a choice. */
const MOST_STEPS = 8
/** Maximum number of types of a value: JSON Schema has no more. */
const MOST_TYPES = 7

/** Members of a schema that are read. */
const READ = ['type', 'format', 'items', 'properties', 'description'] as const
type Plain = { readonly [name in (typeof READ)[number]]?: unknown }

/** A schema, with the parts that were read of it: many columns may refer to one part. */
interface Reading {
  readonly root: Data
  readonly plain: Map<Data, Plain>
  readonly next: Map<Data, Data | null>
  readonly properties: Map<Data, readonly (readonly [string, unknown])[]>
  /** Number of parts of columns that may still be read. */
  left: number
}

/**
 * Returns the values that the JSON Schema of a row, or of a list of rows, names. If there are more
 * than the limit, it returns one more than the limit; the same applies to the parts of all values.
 */
export function wantedOf(schema: Data): readonly Wanted[] {
  const reading = readingOf(schema)
  return propertiesOf(rowOf(reading), reading).map((property) => wantedFor(property, reading))
}

/** True if a JSON Schema describes a list of rows, and not one row. */
export function asksForList(schema: Data): boolean {
  const reading = readingOf(schema)
  return rowOf(reading) !== plainSchema(schema, reading)
}

function readingOf(root: Data): Reading {
  return {
    root,
    plain: new Map(),
    next: new Map(),
    properties: new Map(),
    left: MOST_PARTS + 1,
  }
}

/** Skips lists, and objects whose only property is a list of objects. */
function rowOf(reading: Reading): Plain {
  let now = plainSchema(reading.root, reading)
  for (let depth = 0; depth < DEEPEST; depth++) {
    if (isObject(now.items)) {
      now = plainSchema(now.items, reading)
      continue
    }
    if (!isObject(now.properties)) return {}
    const [only, ...others] = propertiesOf(now, reading)
    const list = others.length > 0 || !only ? {} : plainSchema(only[1], reading)
    if (!isObject(list.items) || !isObject(plainSchema(list.items, reading).properties)) return now
    now = list
  }
  return {}
}

/** The properties of an object, and at most one more than the limit. */
function propertiesOf(
  { properties }: Plain,
  reading: Reading,
): readonly (readonly [string, unknown])[] {
  if (!isObject(properties)) return []
  const made =
    reading.properties.get(properties) ?? Object.entries(properties).slice(0, MOST_COLUMNS + 1)
  reading.properties.set(properties, made)
  return made
}

/** `level`: number of objects around it in its row. */
function wantedFor(
  [name, described]: readonly [string, unknown],
  reading: Reading,
  level = 0,
): Wanted {
  const own = propertiesOf(oneOf(described, reading), reading)
  const isTooDeep = level >= MOST_LEVELS && own.length > 0
  const parts = isTooDeep ? [] : own.slice(0, reading.left)
  reading.left -= parts.length
  const { description, items, type } = plainSchema(described, reading)
  return {
    name,
    as: typeOf(oneOf(described, reading)),
    many: isObject(items) || type === 'array',
    parts: parts.map((part) => wantedFor(part, reading, level + 1)),
    isTooDeep,
    question: typeof description === 'string' ? description.slice(0, 500) : `The ${name}`,
  }
}

/**
 * The description of a property. If the property is a list without one: the description of its
 * items.
 */
function oneOf(described: unknown, reading: Reading): Plain {
  const property = plainSchema(described, reading)
  return isObject(property.items) ? plainSchema(property.items, reading) : property
}

/**
 * Resolves references, and takes the first alternative that is not `null`. Libraries that derive
 * schemas from types write optional values this way.
 */
function plainSchema(schema: unknown, reading: Reading): Plain {
  if (!isObject(schema)) return {}
  const made = reading.plain.get(schema) ?? mergedFrom(schema, reading)
  reading.plain.set(schema, made)
  return made
}

/** The members of a schema override those of its reference. */
function mergedFrom(schema: Data, reading: Reading): Plain {
  const made: { -readonly [name in keyof Plain]: unknown } = {}
  let now = schema
  for (let step = 0; step < MOST_STEPS; step++) {
    for (const name of READ)
      if (!Object.hasOwn(made, name) && Object.hasOwn(now, name)) made[name] = now[name]
    const next = nextOf(now, reading)
    if (!next) return made
    now = next
  }
  return {}
}

/** The target of a reference, or a choice; `null`: the schema is neither. */
function nextOf(schema: Data, reading: Reading): Data | null {
  const present = reading.next.get(schema)
  if (present !== undefined) return present
  const { $ref: reference, anyOf, oneOf: either, allOf } = schema
  const choices = [anyOf, either, allOf].find(Array.isArray)
  const next: unknown =
    typeof reference === 'string'
      ? partAt(reading.root, reference)
      : choices?.find((choice) => isObject(choice) && choice['type'] !== 'null')
  const made = isObject(next) ? next : null
  reading.next.set(schema, made)
  return made
}

/** The target of a reference within the schema, such as `#/$defs/Product`. */
function partAt(root: Data, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/', 20).slice(1)
  return names.reduce<unknown>((part, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
  }, root)
}

function typeOf({ type, format }: Plain): string | null {
  const types = Array.isArray(type) ? type.slice(0, MOST_TYPES) : [type]
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? null
  const name = types.find(
    (candidate) => typeof candidate === 'string' && Object.hasOwn(TYPES, candidate),
  )
  return typeof name === 'string' ? (TYPES[name] ?? null) : null
}

/** `price: number`, `price (number)`. */
const TYPED = /^([^:(]+?) ?[:(] ?(text|string|number|integer|boolean|date|url)\)?$/i
const SMALL = /^(?:(?:the|all|each|every|their|its|an?) )+/i

/** Values that a plain text names: `title, price and rating of each pen`. */
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
      isTooDeep: false,
      question: name,
    }
  })
}

/** `Price of the pen` → `price`: the words before the first small word. */
function keyOf(words: string): string {
  const [first = words] = words.split(/ (?:of|per|for|from|in|on) /i)
  return first.trim().toLowerCase().replaceAll(/\s+/g, '_').slice(0, 100)
}

/** The column that a wanted name means. `null`: no column. */
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
export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word))
}
