import { objectsIn } from './views.ts'
import { columnFor } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** A group of a preview that repeats and is no list. */
interface Group {
  /** Selects more than the group if other elements have the same names. */
  readonly items: string
  readonly count: number
  /** Why it is no list, in a sentence. */
  readonly reason: string
}

/** Parts of an item that are read. */
const MOST_PARTS = 6
/** Rows of a preview. */
const MOST_ROWS = 100
const WHOLE = { xpath: '.' }
/** Values of an item that have a name of their own. */
const NAMED: Readonly<Record<string, Data>> = {
  url: { xpath: './/a/@href' },
  image: { xpath: './/img/@src' },
}
/** Elements without elements in them, by their order in the item. */
const PARTS: Readonly<Record<string, Data>> = Object.fromEntries(
  Array.from({ length: MOST_PARTS }, (_, index) => [
    `part_${index + 1}`,
    { xpath: `./descendant::*[not(*)][${index + 1}]` },
  ]),
)
/** A number with a sign or a unit. */
const AMOUNT = /^(?:[A-Z]{3}|[^\p{L}\d]{1,3})? ?\d[\d.,' ]{0,20}\D{0,12}$/u

/** The groups that a preview has refused as a list. */
function groupsIn({ refused }: Data): readonly Group[] {
  return objectsIn(refused).map(({ items, count, reason }) => ({
    items: String(items),
    count: Number(count),
    reason: String(reason),
  }))
}

/** The group whose names say that it has the values; `null`: none does. */
export function namedGroup(name: string, preview: Data): string | null {
  return columnFor(
    name,
    groupsIn(preview).map(({ items }) => items),
  )
}

/**
 * The group that may be the rows of a list: the first in the content, or one beside it that has one
 * of the names.
 */
export function likelyGroup(preview: Data, names: readonly string[]): Group | null {
  for (const { items, count, reason } of groupsIn(preview)) {
    const isBeside = /beside the content|main content/.test(reason)
    if (isBeside && !names.some((name) => items.toLowerCase().includes(name.toLowerCase())))
      continue
    // Menus have plain names, as lists of the content do.
    const outside = isBeside ? '' : ':not(nav *, header *, footer *, aside *)'
    return { items: items + outside, count, reason }
  }
  return null
}

/** The parts of a group's items that may have a value, as `extract` of a recipe. */
export function probeOf({ items }: Group): Data {
  return { items, fields: { whole: WHOLE, ...NAMED, ...PARTS } }
}

/**
 * A source for each wanted value that only one part of the items can have, by the preview of
 * {@link probeOf}. Empty: the rows are not those of the group.
 */
export function sourcesIn(
  { count }: Group,
  preview: Data,
  values: readonly Wanted[],
): ReadonlyMap<string, Data> {
  const rows = objectsIn(preview['rows'])
  if (rows.length !== Math.min(count, MOST_ROWS)) return new Map()
  const every = (name: string, holds: (text: string) => boolean): boolean =>
    rows.every((row) => holds(String(row[name] ?? '')))
  const filled = (name: string): boolean => every(name, (text) => text !== '')
  // An item of one part, or without elements, is its text.
  const isPlain = rows.every(({ whole, part_1: first = null }) => first === null || first === whole)
  const parts = isPlain ? ['whole'] : Object.keys(PARTS).filter(filled)
  const amounts = parts.filter((name) => every(name, (text) => AMOUNT.test(text)))
  const texts = parts.filter((name) => values.length === 1 || !amounts.includes(name))
  const kinds = values.map((value) => kindOf(value))
  const sources = values.flatMap(({ name }, index): (readonly [string, Data])[] => {
    const kind = kinds[index] ?? null
    if (kind === null) return []
    const named = NAMED[kind]
    if (named) return filled(kind) ? [[name, named]] : []
    const [first, ...others] = kind === 'amount' ? amounts : texts
    const isOnly = others.length === 0 && kinds.filter((other) => other === kind).length === 1
    // The first text of an item is its title.
    const isTitle = kind === 'text' && columnFor(name, ['title']) !== null
    const source = first === 'whole' ? WHOLE : PARTS[first ?? '']
    return source && (isOnly || isTitle) ? [[name, source]] : []
  })
  return new Map(sources)
}

/** The kind of part that has a value; `null`: none has it alone. */
function kindOf({ name, as, many, parts }: Wanted): string | null {
  if (many || parts.length > 0) return null
  if (as === 'number' || as === 'integer') return 'amount'
  return columnFor(name, Object.keys(NAMED)) ?? (as === 'url' ? 'url' : 'text')
}
