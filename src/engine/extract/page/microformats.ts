import type { Element } from 'domhandler'
import { isObject } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { MAX_NAMES } from './microdata.ts'
import type { MicrodataItem } from './microdata.ts'
import { CLASSIC, CLASSIC_ITEM, propertiesIn, rootsIn } from './microformat-names.ts'
import type { Classic, PropertyName } from './microformat-names.ts'
import { MicroformatValues } from './microformat-values.ts'
import { QuickPass, StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
const MAX_WORDS = 50
/** Maximum number of links whose relations are read. */
const MAX_LINKS = 10_000
/** Bytes of memory for a link's relation, without both names. */
const PAIR_BYTES = 40
/** Steps of an element in an item, and of a property, that nobody pays for. */
const CHILD_STEPS = 16
const PROPERTY_STEPS = 40
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
export function microformatParts(
  tree: Tree,
  budget: PageBudget,
  absolute: (href: string) => string,
): Parts<readonly MicroformatItem[]> {
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

  *read(): Parts<readonly MicroformatItem[]> {
    const { elements } = this.#tree
    const pass = new QuickPass(this.#budget, CHILD_STEPS)
    for (let index = 0; index < elements.length; index++) {
      const element = elements[index]
      if (element === undefined) break
      if (pass.ends()) yield
      const kind = this.#kindOf(element, null, null)
      if (kind === null) continue
      yield
      if ((yield* this.#item(element, kind, 0)) === null) break
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
  *#item(element: Element, kind: Kind, level: number): Parts<Microformat | null> {
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
    const parts = new StepParts(this.#budget)
    for (let index = (element.startIndex ?? 0) + 1; index <= end; index++) {
      const child = this.#tree.elements[index]
      if (child === undefined) break
      this.#budget.unpaid(CHILD_STEPS)
      if (parts.ends()) yield
      if (child.name === 'template') index = child.endIndex ?? index
      else if (yield* this.#readChild(child, draft, level)) index = child.endIndex ?? index
    }
    if (kind.classics === null) yield* this.#imply(draft)
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
  *#readChild(child: Element, draft: Draft, level: number): Parts<boolean> {
    const named = this.#propertiesOf(child, draft.kind)
    const inner =
      draft.kind.classics?.flatMap((classic) =>
        named.flatMap(({ name }) => classic.inner.get(name) ?? []),
      )[0] ?? null
    const kind = this.#kindOf(child, draft.kind, inner)
    for (const { kind: propertyKind } of named) draft.kinds.add(propertyKind)
    if (kind === null) {
      const isClassic = draft.kind.classics !== null
      for (const property of named) {
        this.#budget.unpaid(PROPERTY_STEPS)
        this.#add(
          draft,
          property,
          yield* this.#values.of(child, property.kind, draft.day, isClassic),
        )
      }
      return false
    }
    draft.hasInner = true
    const item = yield* this.#item(child, kind, level + 1)
    if (item === null) return true
    if (named.length === 0) draft.children.push(item)
    for (const property of named) {
      this.#budget.unpaid(PROPERTY_STEPS)
      this.#add(draft, property, yield* this.#nested(child, property, item))
    }
    return true
  }

  #add(draft: Draft, { kind, name }: PropertyName, value: Json): void {
    const { short, properties } = draft
    if (kind === 'p' && name === 'name') short.p ??= value
    else if (kind === 'u' && name === 'url') short.u ??= value
    const list = properties.get(name)
    if (list !== undefined) list.push(value)
    else if (properties.size < MAX_NAMES) properties.set(name, [value])
    else this.#budget.cut('names of an item', MAX_NAMES, 'page')
    if (typeof value === 'string') draft.day = DAY.exec(value)?.[0] ?? draft.day
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
  *#nested(element: Element, { kind }: PropertyName, item: Microformat): Parts<Json> {
    const short = this.#shorts.get(item)
    const own = yield* this.#values.of(element, kind, null, false)
    if (kind === 'e' && isObject(own)) return { ...own, ...item }
    return { value: (kind === 'p' || kind === 'u' ? short?.[kind] : null) ?? own, ...item }
  }

  /** Adds the implied name, photo and URL of an item. */
  *#imply(draft: Draft): Parts<void> {
    const { element, properties, kinds, hasInner } = draft
    if (!properties.has('name') && !kinds.has('p') && !kinds.has('e') && !hasInner)
      this.#add(draft, { kind: 'p', name: 'name' }, yield* this.#values.impliedName(element))
    const classesOf = (candidate: Element): boolean =>
      rootsIn(this.#classesOf(candidate)).length > 0
    if (kinds.has('u') || hasInner) return
    const photo = properties.has('photo') ? null : this.#values.impliedPhoto(element, classesOf)
    if (photo !== null) this.#add(draft, { kind: 'u', name: 'photo' }, photo)
    const url = properties.has('url') ? null : this.#values.impliedUrl(element, classesOf)
    if (url !== null) this.#add(draft, { kind: 'u', name: 'url' }, url)
  }
}

function unique(properties: readonly PropertyName[]): readonly PropertyName[] {
  return properties.filter(
    ({ kind, name }, index) =>
      properties.findIndex((property) => property.name === name && property.kind === kind) ===
      index,
  )
}

/** The links of a page by their relations, and the relations by their link. */
export interface Rels {
  readonly rels: { readonly [rel: string]: string[] }
  readonly 'rel-urls': { readonly [url: string]: { readonly [name: string]: Json } }
}

/** Reads the relations of a page's links. */
export function* relParts(
  tree: Tree,
  budget: PageBudget,
  absolute: (href: string) => string,
): Parts<Rels> {
  const values = new MicroformatValues(budget, absolute)
  const rels = new Map<string, Set<string>>()
  const urls = new Map<string, { found: Set<string>; facts: { [name: string]: Json } }>()
  const pass = new QuickPass(budget, CHILD_STEPS)
  const parts = new StepParts(budget)
  for (const element of tree.elements) {
    if (pass.ends()) yield
    const { rel, href } = element.attribs
    if (!['a', 'area', 'link'].includes(element.name) || rel === undefined || href === undefined)
      continue
    if (parts.ends()) yield
    budget.work(rel.length + (href.length >> 2))
    budget.unpaid(PROPERTY_STEPS)
    const words = rel
      .trim()
      .split(/\s+/, MAX_WORDS)
      .filter((word) => word !== '')
    if (words.length === 0) continue
    const url = absolute(href)
    if (urls.size === MAX_LINKS && !urls.has(url)) {
      budget.cut('links with relations', MAX_LINKS, 'page')
      break
    }
    const link = urls.get(url) ?? { found: new Set(), facts: {} }
    urls.set(url, link)
    for (const name of ['hreflang', 'media', 'title', 'type'])
      if (element.attribs[name] !== undefined) link.facts[name] ??= element.attribs[name] ?? ''
    const text = yield* values.text(element, { isWhole: true })
    if (text.trim() !== '') link.facts['text'] ??= text
    budget.make(PAIR_BYTES * words.length)
    budget.unpaid(PROPERTY_STEPS * words.length)
    for (const word of words) {
      link.found.add(word)
      rels.set(word, (rels.get(word) ?? new Set()).add(url))
    }
  }
  const byRel: { [rel: string]: string[] } = {}
  const ending = new QuickPass(budget, PROPERTY_STEPS)
  for (const [rel, targets] of rels) {
    if (ending.ends()) yield
    define(byRel, rel, [...targets])
  }
  const byUrl: { [url: string]: { [name: string]: Json } } = {}
  for (const [url, { found, facts }] of urls) {
    if (ending.ends()) yield
    define(byUrl, url, { ...facts, rels: [...found].toSorted() })
  }
  return { rels: byRel, 'rel-urls': byUrl }
}

/** Sets a member whose name a page gave. */
function define<T>(object: { [name: string]: T }, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    })
  else object[name] = value
}

/** Makes items in the form of microdata items: `@type` and the properties. */
export function* plainParts(
  items: readonly MicroformatItem[],
  budget: PageBudget,
): Parts<readonly MicrodataItem[]> {
  const plainByProperties = new Map<Json, Json>()
  const plain: MicrodataItem[] = []
  const parts = new StepParts(budget)
  // An inner item comes after the ones around it, but is a part of them.
  for (const { element, value, isTop } of items.toReversed()) {
    const { type, properties } = value
    const made: Record<string, Json> = { '@type': type.length === 1 ? (type[0] ?? null) : type }
    for (const [name, values] of Object.entries(properties)) {
      const list: Json[] = []
      for (const member of values) {
        budget.work(1)
        if (parts.ends()) yield
        list.push(plainValue(member, plainByProperties))
      }
      define(made, name, list)
    }
    plainByProperties.set(properties, made)
    plain.push({ element, value: made, isTop })
  }
  return plain.toReversed()
}

/** A value without its markup, or the text of its image. `items`: plain ones by their properties. */
function plainValue(value: Json, items: ReadonlyMap<Json, Json>): Json {
  if (!isObject(value)) return value
  const { properties = null, value: plain = null } = value
  return items.get(properties) ?? plain
}
