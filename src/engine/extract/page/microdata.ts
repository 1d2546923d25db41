import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { textOf, textParts } from '../tree/text-content.ts'
import { QuickPass, StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
/** Maximum number of values of an item that contains items which are written more than once. */
const MAX_VALUES = 10_000
/** Maximum number of values of all items of a page that come from parts in `itemref`. */
const MAX_REFERRED = 50_000
/** Maximum number of names of an item's properties. Objects with more take long to list. */
export const MAX_NAMES = 2_000
/** Maximum names of one property and types of one item. The value is written under each name. */
const MAX_WORDS = 20
/** Steps that nobody pays for, for each property of an element and of an item. */
const PROPERTY_STEPS = 20
const URL_OF: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  object: 'data',
}
const VALUE_OF: Readonly<Record<string, string>> = {
  meta: 'content',
  data: 'value',
  meter: 'value',
}
const VOCABULARY = /^https?:\/\/(?:www\.)?schema\.org\//

type Item = { [property: string]: Json }

/** A property that an element gives to the item or part that it is in. */
interface Property {
  /** Its element's position in the page. */
  readonly at: number
  readonly names: readonly string[]
  readonly value: string | Scope
}

/** An item, or a part of the page to which items elsewhere refer by `itemref`. */
interface Scope {
  readonly element: Element
  readonly properties: Property[]
  /** Position of the last element inside. */
  readonly end: number
  readonly isItem: boolean
}

/** A microdata item with its element. */
export interface MicrodataItem {
  readonly element: Element
  /**
   * The same form as JSON-LD: `@type` (without schema.org's address), `@id`, and the properties. A
   * property that occurs several times is a list.
   */
  readonly value: Json
  readonly isTop: boolean
}

/**
 * Reads a page's items (HTML Standard, "Microdata") in document order, with nested ones and the
 * parts in their `itemref`. `absolute` makes links absolute, fragments included. `inParts`: long
 * texts are read in parts, too, as there are no threads.
 */
export function* microdataParts(
  tree: Tree,
  budget: PageBudget,
  absolute: (href: string) => string,
  inParts: boolean,
): Parts<readonly MicrodataItem[]> {
  const scan = new Scan(tree, budget, absolute)
  yield* scan.read(inParts)
  const linker = new Linker(scan, budget, absolute)
  const made: { readonly item: Scope; readonly value: Item | null }[] = []
  for (const item of scan.items) {
    yield
    made.push({ item, value: yield* linker.valueOf(item, 0) })
  }
  return made.flatMap(({ item: { element }, value }) =>
    value === null
      ? []
      : [{ element, value, isTop: !hasName(element) || !linker.inner.has(element) }],
  )
}

function hasName({ attribs }: Element): boolean {
  return (attribs['itemprop'] ?? '').trim() !== ''
}

/** One pass over the page, which gives each property to its item and to the parts around it. */
class Scan {
  readonly items: Scope[] = []
  /** The parts that an `itemref` names, by their id. */
  readonly parts = new Map<string, Scope>()
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #absolute: (href: string) => string
  /** The referenced ids. */
  readonly #sought = new Set<string>()
  readonly #open: Scope[] = []

  constructor(tree: Tree, budget: PageBudget, absolute: (href: string) => string) {
    this.#tree = tree
    this.#budget = budget
    this.#absolute = absolute
  }

  *read(inParts: boolean): Parts<void> {
    const { elements } = this.#tree
    const pass = new QuickPass(this.#budget, 2)
    for (const element of elements) {
      if (pass.ends()) yield
      for (const id of refsOf(element, this.#budget)) this.#sought.add(id)
    }
    const reading = new QuickPass(this.#budget)
    const parts = new StepParts(this.#budget)
    for (const element of elements) {
      // The end of a pass counts as steps, too.
      reading.ends()
      if (parts.ends()) yield
      const position = element.startIndex ?? 0
      while ((this.#open.at(-1)?.end ?? position) < position) this.#open.pop()
      const id = element.attribs['id']
      if (id !== undefined && this.#sought.has(id) && !this.parts.has(id) && this.#hasRoom()) {
        const part = scopeOf(element, false)
        this.parts.set(id, part)
        this.#open.push(part)
      }
      const names = this.#readElement(element, position)
      if (names === null) continue
      let value = attributeOf(element, this.#absolute)
      if (value === null) {
        value = inParts ? yield* textParts(element, this.#budget) : textOf(element, this.#budget)
        // Properties may be nested, and each has the text of everything inside it.
        this.#budget.make(value.length)
      }
      this.#give({ at: position, names, value })
    }
  }

  /** Opens an item. Returns the names of a property with another value; `null`: it has none. */
  #readElement(element: Element, position: number): readonly string[] | null {
    const isItem = Object.hasOwn(element.attribs, 'itemscope')
    const names = wordsOf(element.attribs['itemprop'], this.#budget).filter(
      (name) => name !== '__proto__',
    )
    const isProperty = names.length > 0 && this.#open.length > 0
    if (!isItem) return isProperty ? names : null
    if (!this.#fits()) return null
    const item = scopeOf(element, true)
    if (isProperty) this.#give({ at: position, names, value: item })
    this.items.push(item)
    this.#open.push(item)
    return null
  }

  /** Gives a property to the nearest item, and to the parts that are nearer than it. */
  #give(property: Property): void {
    this.#budget.work(property.names.length)
    this.#budget.unpaid(PROPERTY_STEPS * property.names.length)
    for (let index = this.#open.length - 1; index >= 0; index--) {
      this.#budget.work(1)
      this.#open[index]?.properties.push(property)
      if (this.#open[index]?.isItem === true) return
    }
  }

  #fits(): boolean {
    const isFull = this.items.length >= MAX_ITEMS
    if (isFull) this.#budget.cut('items of microdata', MAX_ITEMS, 'page')
    else if (!this.#hasRoom()) this.#budget.cut('levels of microdata', MAX_DEPTH, 'page')
    return !isFull && this.#hasRoom()
  }

  #hasRoom(): boolean {
    return this.#open.length < MAX_DEPTH
  }
}

function scopeOf(element: Element, isItem: boolean): Scope {
  return { element, properties: [], end: element.endIndex ?? element.startIndex ?? 0, isItem }
}

/** The ids in an item's `itemref`. */
function refsOf({ attribs }: Element, budget: PageBudget): string[] {
  return Object.hasOwn(attribs, 'itemscope') ? wordsOf(attribs['itemref'], budget) : []
}

/** Makes the values of items, with those of the parts that they name. */
class Linker {
  /** The elements of the items that are within another one. */
  readonly inner = new Set<Element>()
  readonly #scan: Scan
  readonly #budget: PageBudget
  readonly #absolute: (href: string) => string
  readonly #made = new Map<Scope, { readonly value: Item; readonly size: number }>()
  /** The items in progress. If one of them occurs inside itself, it is left out there. */
  readonly #making = new Set<Scope>()
  #referredLeft = MAX_REFERRED

  constructor(scan: Scan, budget: PageBudget, absolute: (href: string) => string) {
    this.#scan = scan
    this.#budget = budget
    this.#absolute = absolute
  }

  /** The value of an item. `null`: it would be inside itself, or too deep. */
  *valueOf(scope: Scope, level: number): Parts<Item | null> {
    const present = this.#made.get(scope)
    if (present !== undefined) return present.value
    if (this.#making.has(scope)) return null
    if (level > MAX_DEPTH) {
      this.#budget.cut('levels of microdata', MAX_DEPTH, 'page')
      return null
    }
    this.#making.add(scope)
    const value = begin(scope.element, this.#budget, this.#absolute)
    const properties = new Properties(value)
    let size = 1
    const parts = new StepParts(this.#budget)
    for (const { names, value: property } of yield* this.#propertiesOf(scope)) {
      this.#budget.unpaid(PROPERTY_STEPS * names.length)
      if (parts.ends()) yield
      const made =
        typeof property === 'string'
          ? { value: property, size: 1 }
          : yield* this.#nested(property, level, size)
      if (made === null) continue
      size += made.size
      // Items with two names each, nested in each other, would double the output at each level.
      const isMuch = typeof property !== 'string' && size + made.size * names.length > MAX_VALUES
      if (!isMuch) size += made.size * (names.length - 1)
      for (const name of isMuch ? names.slice(0, 1) : names)
        if (!properties.add(name, made.value))
          this.#budget.cut('names of an item', MAX_NAMES, 'page')
    }
    this.#making.delete(scope)
    this.#made.set(scope, { value, size })
    return value
  }

  *#nested(
    scope: Scope,
    level: number,
    before: number,
  ): Parts<{ value: Json; size: number } | null> {
    const isShared = this.#made.has(scope)
    const value = yield* this.valueOf(scope, level + 1)
    const size = this.#made.get(scope)?.size ?? 0
    if (value === null) return null
    // An item that several others name could double the output at each level.
    if (isShared && before + size > MAX_VALUES) {
      this.#budget.cut('values of a microdata item', MAX_VALUES, 'page')
      return null
    }
    this.inner.add(scope.element)
    return { value, size }
  }

  /** The properties of an item and of the parts that it names, in document order, each once. */
  *#propertiesOf({ element, properties }: Scope): Parts<readonly Property[]> {
    const refs = refsOf(element, this.#budget)
    if (refs.length === 0) return properties
    const byPosition = new Map<number, Property>()
    const pass = new QuickPass(this.#budget)
    for (const property of properties) {
      if (pass.ends()) yield
      byPosition.set(property.at, property)
    }
    for (const id of refs)
      for (const property of this.#scan.parts.get(id)?.properties ?? []) {
        if (this.#referredLeft-- <= 0) {
          this.#budget.cut('values that items name in itemref', MAX_REFERRED, 'page')
          break
        }
        if (pass.ends()) yield
        this.#budget.work(4 + property.names.length)
        byPosition.set(property.at, property)
      }
    return [...byPosition.values()].toSorted((a, b) => a.at - b.at)
  }
}

function wordsOf(list: string | undefined, budget: PageBudget): string[] {
  if (list === undefined) return []
  const words = list
    .trim()
    .split(/\s+/, MAX_WORDS + 1)
    .filter((word) => word !== '')
  if (words.length > MAX_WORDS) budget.cut('names of a property or type', MAX_WORDS, 'page')
  return words.slice(0, MAX_WORDS)
}

function begin(element: Element, budget: PageBudget, absolute: (href: string) => string): Item {
  const item: Item = {}
  const types = wordsOf(element.attribs['itemtype'], budget).map((type) =>
    type.replace(VOCABULARY, ''),
  )
  const [first] = types
  if (first !== undefined) item['@type'] = types.length === 1 ? first : types
  const id = element.attribs['itemid']
  if (id !== undefined) item['@id'] = absolute(id)
  return item
}

/** The properties of one item. */
class Properties {
  readonly #item: Item
  readonly #lists = new Map<string, Json[]>()
  #names = 0

  constructor(item: Item) {
    this.#item = item
  }

  /** @returns False if the item has too many names for another one. */
  add(name: string, value: Json): boolean {
    const list = this.#lists.get(name)
    if (list !== undefined) list.push(value)
    else if (Object.hasOwn(this.#item, name)) {
      const begun = [this.#item[name] ?? null, value]
      this.#lists.set(name, begun)
      this.#item[name] = begun
    } else {
      if (this.#names === MAX_NAMES) return false
      this.#names++
      this.#item[name] = value
    }
    return true
  }
}

/** The value of a property that an attribute has, or `null`. */
function attributeOf(
  { name, attribs }: Element,
  absolute: (href: string) => string,
): string | null {
  const link = URL_OF[name]
  if (link !== undefined && Object.hasOwn(attribs, link)) return absolute(attribs[link] ?? '')
  // Beyond the standard, but used everywhere: `content` on any element.
  return (
    attribs[VALUE_OF[name] ?? 'content'] ??
    (name === 'time' ? attribs['datetime'] : undefined) ??
    null
  )
}
