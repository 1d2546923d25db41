import type { Element } from 'domhandler'
import { isList, isObject } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { CLASSIC, CLASSIC_ITEM, propertiesIn, rootsIn } from './microformat-names.ts'
import type { Classic, PropertyName } from './microformat-names.ts'
import { MicroformatValues } from './microformat-values.ts'
import type { PageBudget } from './page-budget.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
const MAX_WORDS = 50
/** Bytes of memory for a link's relation, without both names. */
const PAIR_BYTES = 40
const DAY = /^\d{4}-(?:\d\d-\d\d|\d{3})/

/** An item of microformats2, as its parsers write it. */
export interface Microformat {
  readonly [member: string]: Json
  readonly type: Json[]
  readonly properties: { readonly [name: string]: Json[] }
}

/** An item with its element. */
export interface MicroformatItem {
  readonly element: Element
  readonly value: Microformat
  /** True if no other item contains this one. */
  readonly isTop: boolean
}

/**
 * Reads a page's microformats (microformats2 parsing specification) in document order, nested ones
 * included, also classic ones such as `vcard` and `hentry`. `absolute` makes links absolute.
 */
export function readMicroformats(
  tree: Tree,
  budget: PageBudget,
  absolute: (href: string) => string,
): readonly MicroformatItem[] {
  return new Reader(tree, budget, absolute).read()
}

/** The types of an item, from its classes. */
interface Kind {
  readonly types: readonly string[]
  /** The classic formats that it has. `null`: it is in the current format. */
  readonly classics: readonly Classic[] | null
}

interface Draft {
  readonly element: Element
  readonly kind: Kind
  readonly properties: Map<string, Json[]>
  readonly children: Json[]
  /** The kinds of properties that are written out. */
  readonly kinds: Set<string>
  hasInner: boolean
  /** Its first `p-name` and its first `u-url`, which are the item's short form. */
  readonly short: Short
  /** The day of the last value with a day, because a later time may omit it. */
  day: string | null
}

/** An item as one value: `p` as a text, `u` as an address. */
interface Short {
  p: Json
  u: Json
}

class Reader {
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #values: MicroformatValues
  readonly #items: MicroformatItem[] = []
  readonly #shorts = new Map<Microformat, Short>()
  #count = 0

  constructor(tree: Tree, budget: PageBudget, absolute: (href: string) => string) {
    this.#tree = tree
    this.#budget = budget
    this.#values = new MicroformatValues(budget, absolute)
  }

  read(): readonly MicroformatItem[] {
    const { elements } = this.#tree
    for (let index = 0; index < elements.length; index++) {
      const element = elements[index]
      if (element === undefined) break
      const kind = this.#kindOf(element, null, null)
      if (kind === null) continue
      if (this.#item(element, kind, 0) === null) break
      index = element.endIndex ?? index
    }
    return this.#items.toSorted((a, b) => (a.element.startIndex ?? 0) - (b.element.startIndex ?? 0))
  }

  /**
   * The types of an element. `outer`: the classic item around it; `inner`: the element's type as a
   * property of that item.
   */
  #kindOf(element: Element, outer: Kind | null, inner: string | null): Kind | null {
    const classes = this.#classesOf(element)
    if (classes.length === 0) return null
    const types = rootsIn(classes)
    if (types.length > 0) return { types, classics: null }
    const classics = classes.flatMap((name) => CLASSIC.get(name) ?? [])
    if (classics.length > 0)
      return { types: [...new Set(classics.map(({ type }) => type))].toSorted(), classics }
    if (inner === null || outer?.classics == null) return null
    return {
      types: [inner],
      classics: [
        inner === 'h-item'
          ? CLASSIC_ITEM
          : ([...CLASSIC.values()].find(({ type }) => type === inner) ?? CLASSIC_ITEM),
      ],
    }
  }

  #classesOf({ attribs }: Element): readonly string[] {
    const list = attribs['class']
    if (list === undefined) return []
    this.#budget.work(1 + (list.length >> 2))
    return list.split(/[\t\n\f\r ]+/, MAX_WORDS)
  }

  /** Reads an item. `null`: there are too many, or too deep. */
  #item(element: Element, kind: Kind, level: number): Microformat | null {
    if (this.#count >= MAX_ITEMS || level > MAX_DEPTH) {
      const isFull = this.#count >= MAX_ITEMS
      this.#budget.cut(
        isFull ? 'items of microformats' : 'levels of microformats',
        isFull ? MAX_ITEMS : MAX_DEPTH,
        'page',
      )
      return null
    }
    this.#count++
    const draft: Draft = {
      element,
      kind,
      properties: new Map(),
      children: [],
      kinds: new Set(),
      hasInner: false,
      short: { p: null, u: null },
      day: null,
    }
    const end = element.endIndex ?? -1
    for (let index = (element.startIndex ?? 0) + 1; index <= end; index++) {
      const child = this.#tree.elements[index]
      if (child === undefined) break
      if (child.name === 'template') index = child.endIndex ?? index
      else if (this.#readChild(child, draft, level)) index = child.endIndex ?? index
    }
    if (kind.classics === null) this.#imply(draft)
    const { id } = element.attribs
    const value: Microformat = {
      type: [...kind.types],
      properties: Object.fromEntries(draft.properties),
      ...(kind.classics === null && id !== undefined && id !== '' && { id }),
      ...(draft.children.length > 0 && { children: draft.children }),
    }
    this.#items.push({ element, value, isTop: level === 0 })
    this.#shorts.set(value, draft.short)
    return value
  }

  /** @returns True if the element is an item of its own. */
  #readChild(child: Element, draft: Draft, level: number): boolean {
    const named = this.#propertiesOf(child, draft.kind)
    const inner =
      draft.kind.classics?.flatMap((classic) =>
        named.flatMap(({ name }) => classic.inner.get(name) ?? []),
      )[0] ?? null
    const kind = this.#kindOf(child, draft.kind, inner)
    for (const { kind: propertyKind } of named) draft.kinds.add(propertyKind)
    if (kind === null) {
      for (const property of named)
        add(
          draft,
          property,
          this.#values.of(child, property.kind, draft.day, draft.kind.classics !== null),
        )
      return false
    }
    draft.hasInner = true
    const item = this.#item(child, kind, level + 1)
    if (item === null) return true
    if (named.length === 0) draft.children.push(item)
    for (const property of named) add(draft, property, this.#nested(child, property, item))
    return true
  }

  #propertiesOf(element: Element, { classics }: Kind): readonly PropertyName[] {
    const classes = this.#classesOf(element)
    if (classics === null) return unique(propertiesIn(classes))
    const rels = element.attribs['rel']?.toLowerCase().trim().split(/\s+/, MAX_WORDS) ?? []
    return unique([
      ...classes.flatMap((name) =>
        classics.flatMap(({ properties }) => properties.get(name) ?? []),
      ),
      ...rels.flatMap((name) => classics.flatMap((classic) => classic.rels.get(name) ?? [])),
    ])
  }

  /** An item as the value of a property, with its short form. */
  #nested(element: Element, { kind }: PropertyName, item: Microformat): Json {
    const short = this.#shorts.get(item)
    const own = this.#values.of(element, kind, null, false)
    if (kind === 'e' && isObject(own)) return { ...own, ...item }
    return { value: (kind === 'p' || kind === 'u' ? short?.[kind] : null) ?? own, ...item }
  }

  /** Adds the implied name, photo and URL of an item. */
  #imply(draft: Draft): void {
    const { element, properties, kinds, hasInner } = draft
    if (!properties.has('name') && !kinds.has('p') && !kinds.has('e') && !hasInner)
      add(draft, { kind: 'p', name: 'name' }, this.#values.impliedName(element))
    const classesOf = (candidate: Element): boolean =>
      rootsIn(this.#classesOf(candidate)).length > 0
    if (kinds.has('u') || hasInner) return
    const photo = properties.has('photo') ? null : this.#values.impliedPhoto(element, classesOf)
    if (photo !== null) add(draft, { kind: 'u', name: 'photo' }, photo)
    const url = properties.has('url') ? null : this.#values.impliedUrl(element, classesOf)
    if (url !== null) add(draft, { kind: 'u', name: 'url' }, url)
  }
}

function unique(properties: readonly PropertyName[]): readonly PropertyName[] {
  return properties.filter(
    ({ kind, name }, index) =>
      properties.findIndex((property) => property.name === name && property.kind === kind) ===
      index,
  )
}

function add(draft: Draft, { kind, name }: PropertyName, value: Json): void {
  const { short } = draft
  if (kind === 'p' && name === 'name') short.p ??= value
  else if (kind === 'u' && name === 'url') short.u ??= value
  const list = draft.properties.get(name)
  if (list === undefined) draft.properties.set(name, [value])
  else list.push(value)
  if (typeof value === 'string') draft.day = DAY.exec(value)?.[0] ?? draft.day
}

/** The links of a page by their relations, and the relations by their link. */
export function readRels(
  tree: Tree,
  budget: PageBudget,
  absolute: (href: string) => string,
): { rels: { [rel: string]: string[] }; 'rel-urls': { [url: string]: { [name: string]: Json } } } {
  const values = new MicroformatValues(budget, absolute)
  const rels = new Map<string, Set<string>>()
  const urls = new Map<string, { found: Set<string>; facts: { [name: string]: Json } }>()
  for (const element of tree.elements) {
    const { rel, href } = element.attribs
    if (!['a', 'area', 'link'].includes(element.name) || rel === undefined || href === undefined)
      continue
    budget.work(rel.length + (href.length >> 2))
    const words = rel
      .trim()
      .split(/\s+/, MAX_WORDS)
      .filter((word) => word !== '')
    if (words.length === 0) continue
    const url = absolute(href)
    const link = urls.get(url) ?? { found: new Set(), facts: {} }
    urls.set(url, link)
    for (const name of ['hreflang', 'media', 'title', 'type'])
      if (element.attribs[name] !== undefined) link.facts[name] ??= element.attribs[name] ?? ''
    const text = values.text(element, { isWhole: true })
    if (text.trim() !== '') link.facts['text'] ??= text
    budget.make(PAIR_BYTES * words.length)
    for (const word of words) {
      link.found.add(word)
      rels.set(word, (rels.get(word) ?? new Set()).add(url))
    }
  }
  return {
    rels: Object.fromEntries([...rels].map(([rel, targets]) => [rel, [...targets]])),
    'rel-urls': Object.fromEntries(
      [...urls].map(([url, { found, facts }]) => [url, { ...facts, rels: [...found].toSorted() }]),
    ),
  }
}

/**
 * An item in the form of microdata items: `@type` and the properties. Content and images are their
 * plain value.
 */
export function plainItem(value: Json): Json {
  if (!isObject(value)) return value
  const { type, properties, value: plain = null } = value
  if (!isList(type) || !isObject(properties)) return plain
  return {
    '@type': type.length === 1 ? (type[0] ?? null) : type,
    ...Object.fromEntries(
      Object.entries(properties).map(([name, values]) => [
        name,
        isList(values) ? values.map(plainItem) : values,
      ]),
    ),
  }
}
