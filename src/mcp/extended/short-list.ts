import { objectsIn } from './views.ts'
import { columnFor, wordsOf } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** A group of a preview that repeats and is not a list. */
export interface Group {
  /** A name for people: `ul.tags > li`. */
  readonly name: string
  /** A selector of the group. It also selects other elements with the same names. */
  readonly items: string
  readonly count: number
  /** The reason in a sentence why it is not a list. */
  readonly reason: string
}

/** Parts of an item that are read. */
const MOST_PARTS = 6
/** Rows of a preview. */
const MOST_ROWS = 100
const WHOLE = { xpath: '.' }
/** Values of an item that have their own name. */
const NAMED: Readonly<Record<string, Data>> = {
  url: { xpath: './descendant-or-self::a/@href', as: 'url' },
  image: { xpath: './descendant-or-self::img/@src', as: 'url' },
}
/** Words in classes and ids of elements around the content, in the singular. */
const BESIDE: ReadonlySet<string> = new Set([
  'breadcrumb',
  'crumb',
  'footer',
  'header',
  'language',
  'legal',
  'menu',
  'nav',
  'navigation',
  'pager',
  'pagination',
  'share',
  'sidebar',
  'social',
])
/** Elements without child elements, by their order in the item. */
const PARTS: Readonly<Record<string, Data>> = Object.fromEntries(
  Array.from({ length: MOST_PARTS }, (_, index) => [
    `part_${index + 1}`,
    { xpath: `./descendant::*[not(*)][${index + 1}]` },
  ]),
)
/** A number with a sign or a unit. */
const AMOUNT = /^(?:[A-Z]{3}|[^\p{L}\d]{1,3})? ?\d[\d.,' ]{0,20}\D{0,12}$/u

/** The groups that a preview rejected as lists. A single element is not a group. */
function groupsIn({ refused }: Data): readonly Group[] {
  return objectsIn(refused).flatMap(({ items, count, reason }) => {
    const selector = selectorOf(String(items))
    return selector === null || Number(count) < 2
      ? []
      : [
          {
            name: String(items),
            items: selector,
            count: Number(count),
            reason: String(reason),
          },
        ]
  })
}

/** The name of an element that is also a selector. */
const PLAIN = /^[a-z][\w-]*(?:[#.]-?[_\p{L}][\w\p{L}-]*)*$/u
/** A class such as `sm:flex`. */
const ODD_CLASS = /^([a-z][\w-]*)\.([^\s#"\\]+)$/

/**
 * The selector of elements by their name. `null`: the name is not a selector, and the preview would
 * be refused.
 */
function selectorOf(name: string): string | null {
  const parts = name.split(' > ').map((part) => {
    if (PLAIN.test(part)) return part
    const [, tag, odd] = ODD_CLASS.exec(part) ?? []
    return tag === undefined ? null : `${tag}[class~="${odd}"]`
  })
  return parts.includes(null) ? null : parts.join(' > ')
}

/** The groups whose classes or ids contain the name of a value, by that name. */
export function namedGroups(values: readonly Wanted[], preview: Data): ReadonlyMap<string, Group> {
  const groups = groupsIn(preview)
  return new Map(
    values.flatMap(({ name }) => {
      const group = groups.find((candidate) => isNamed(candidate, name))
      return group ? [[name, group] as const] : []
    }),
  )
}

/** The groups that one preview reads, as `extract` of a recipe: one list of values for each name. */
export function namedProbeOf(groups: ReadonlyMap<string, Group>): Data {
  const sources = [...groups].map(([name, { items }]) => [name, { css: items, many: true }])
  return { fields: Object.fromEntries(sources) }
}

/** The groups whose selectors select exactly the group, according to the preview of the probe. */
export function exactGroups(
  groups: ReadonlyMap<string, Group>,
  preview: Data,
): ReadonlyMap<string, Group> {
  const [row = {}] = objectsIn(preview['rows'])
  return new Map(
    [...groups].filter(([name, { count }]) => {
      const values = row[name]
      return Array.isArray(values) && values.length === count
    }),
  )
}

/**
 * True if the classes or the id of the items contain all words of the name. Items without classes
 * and id count with those of the element around them: `ul.tags > li`.
 */
function isNamed(group: Group, name: string): boolean {
  const words = wordsOf(name)
  const own = wordsOf(namesIn(group).at(-1) ?? '')
  return words.length > 0 && words.every((word) => own.includes(word))
}

/** True if the reason of a group, or the classes in its selector, show that it is not content. */
function isBeside(group: Group): boolean {
  return (
    /beside the content|main content|main part/.test(group.reason) ||
    wordsOf(namesIn(group).join(' ')).some((word) => BESIDE.has(word))
  )
}

/** The classes and ids in the name of a group: one text for each element that has some. */
function namesIn({ name }: Group): readonly string[] {
  return name.split(' > ').flatMap((part) => {
    const start = part.search(/[.#]/)
    return start < 0 ? [] : [part.slice(start)]
  })
}

/**
 * The group that may be the rows of a list: the first one in the content, or one beside it whose
 * class or id is one of the names.
 */
export function likelyGroup(preview: Data, names: readonly string[]): Group | null {
  for (const group of groupsIn(preview)) {
    const isAside = isBeside(group)
    if (isAside && !names.some((name) => isNamed(group, name))) continue
    // Plain names are not enough, because menus have them too.
    const outside = isAside ? '' : ':not(nav *, header *, footer *, aside *)'
    return { ...group, items: group.items + outside }
  }
  return null
}

/** The parts of a group's items that may have a value, as `extract` of a recipe. */
export function probeOf({ items }: Group): Data {
  return { items, fields: { whole: WHOLE, ...NAMED, ...PARTS } }
}

/**
 * A source for each wanted value that only one part of the items can have, according to the preview
 * of {@link probeOf}. Empty: the rows are not those of the group, or only one of several values has
 * a source.
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
  // If an item has one part or no elements, its value is its text.
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
  // If several values are wanted, names alone are not enough: any menu, and the sizes of a product,
  // have names.
  return sources.length < Math.min(2, values.length) ? new Map() : new Map(sources)
}

/** The kind of part that has a value. `null`: no kind has it alone. */
function kindOf({ name, as, many, parts }: Wanted): string | null {
  if (many || parts.length > 0) return null
  if (as === 'number' || as === 'integer') return 'amount'
  return columnFor(name, Object.keys(NAMED)) ?? (as === 'url' ? 'url' : 'text')
}
