import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { textOf } from '../tree/text-content.ts'
import type { PageBudget } from './page-budget.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
/** Maximum names of one property and types of one item. The value is written under each name. */
const MAX_WORDS = 20
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

interface Open {
  readonly item: Item
  /** Properties that occur several times. */
  readonly lists: Map<string, Json[]>
  /** Position of the last element inside. */
  readonly end: number
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
 * Reads a page's items (HTML Standard, "Microdata") in document order, nested ones included.
 * `resolve` makes links absolute.
 */
export function readMicrodata(
  tree: Tree,
  budget: PageBudget,
  resolve: (href: string) => string | null,
): readonly MicrodataItem[] {
  const items: MicrodataItem[] = []
  const open: Open[] = []
  for (const element of tree.elements) {
    const position = element.startIndex ?? 0
    while ((open.at(-1)?.end ?? position) < position) open.pop()
    const names = wordsOf(element.attribs['itemprop'], budget).filter(
      (name) => name !== '__proto__',
    )
    const owner = open.at(-1)
    const isItem = Object.hasOwn(element.attribs, 'itemscope')
    if (!isItem && names.length === 0) continue
    const fits = items.length < MAX_ITEMS && open.length < MAX_DEPTH
    if (isItem && items.length >= MAX_ITEMS) budget.cut('items of microdata', MAX_ITEMS, 'page')
    else if (isItem && !fits) budget.cut('levels of microdata', MAX_DEPTH, 'page')
    const item = isItem && fits ? begin(element, budget, resolve) : null
    // Items with two names each, nested in each other, would double the output at each level.
    if (owner !== undefined && item !== null)
      for (const name of names.slice(0, 1)) add(owner, name, item)
    if (owner !== undefined && !isItem) {
      const value = valueOf(element, budget, resolve)
      budget.work(names.length)
      for (const name of names) add(owner, name, value)
    }
    if (item === null) continue
    items.push({ element, value: item, isTop: names.length === 0 || owner === undefined })
    open.push({ item, lists: new Map(), end: element.endIndex ?? position })
  }
  return items
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

function begin(
  element: Element,
  budget: PageBudget,
  resolve: (href: string) => string | null,
): Item {
  const item: Item = {}
  const types = wordsOf(element.attribs['itemtype'], budget).map((type) =>
    type.replace(VOCABULARY, ''),
  )
  const [first] = types
  if (first !== undefined) item['@type'] = types.length === 1 ? first : types
  const id = element.attribs['itemid']
  if (id !== undefined) item['@id'] = resolve(id) ?? id
  return item
}

function add({ item, lists }: Open, name: string, value: Json): void {
  const list = lists.get(name)
  if (list !== undefined) list.push(value)
  else if (Object.hasOwn(item, name)) {
    const begun = [item[name] ?? null, value]
    lists.set(name, begun)
    item[name] = begun
  } else item[name] = value
}

function valueOf(
  element: Element,
  budget: PageBudget,
  resolve: (href: string) => string | null,
): Json {
  const { name, attribs } = element
  const link = URL_OF[name]
  if (link !== undefined && Object.hasOwn(attribs, link))
    return resolve(attribs[link] ?? '') ?? attribs[link] ?? ''
  // Beyond the standard, but used everywhere: `content` on any element.
  const written =
    attribs[VALUE_OF[name] ?? 'content'] ?? (name === 'time' ? attribs['datetime'] : undefined)
  if (written !== undefined) return written
  // Properties may be nested, and each has the text of everything inside it.
  const text = textOf(element, budget)
  budget.make(text.length)
  return text
}
