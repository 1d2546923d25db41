import { isTag, type Element } from 'domhandler'
import { placementOf } from '../format/beside.ts'
import { QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { textOf, textStart } from '../tree/text-content.ts'
import type { PageContent } from '../page/page-content.ts'
import { seenParts } from '../product/product-seen.ts'
import { headingParts } from '../product/read-product.ts'
import { classOf, isWithin, ownText } from './item-elements.ts'
import { areTeasers } from './item-parts.ts'
import { isOfGoods, type BestList } from './repeated-items.ts'

/** A shorter text is not a sentence. */
const LEAST_SENTENCE = 80
/** Elements whose own text is not a part of an article's sentences. */
const NO_SENTENCES = new Set([
  'a',
  'button',
  'label',
  'li',
  'noscript',
  'option',
  'script',
  'style',
  'textarea',
  'title',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])
/** With fewer characters in paragraphs, an article may have its sentences in other elements. */
export const LEAST_PROSE = 400

/** The sentences in the main content of a page. */
export class Sentences {
  /** Number of characters. */
  readonly length: number
  readonly #main: Element | null
  readonly #budget: PageBudget
  /** True if sentences outside of paragraphs count, too. */
  readonly #isAnywhere: boolean;

  /**
   * @param isArticle The page says that it is an article. If it has no paragraphs, its sentences are
   *   in other elements, with line breaks between them.
   */
  static *of(main: Element | null, isArticle: boolean, budget: PageBudget): Parts<Sentences> {
    const length = main === null ? 0 : yield* proseLength(main, budget, new Set(), false)
    if (main === null || !isArticle || length > LEAST_PROSE)
      return new Sentences(main, length, false, budget)
    return new Sentences(main, yield* proseLength(main, budget, new Set(), true), true, budget)
  }

  private constructor(
    main: Element | null,
    length: number,
    isAnywhere: boolean,
    budget: PageBudget,
  ) {
    this.#main = main
    this.length = length
    this.#isAnywhere = isAnywhere
    this.#budget = budget
  }

  /** The number of characters outside of some elements. */
  *beside(elements: readonly Element[]): Parts<number> {
    if (this.#main === null) return 0
    return yield* proseLength(this.#main, this.#budget, new Set(elements), this.#isAnywhere)
  }
}

function* proseLength(
  main: Element,
  budget: PageBudget,
  but: ReadonlySet<Element>,
  isAnywhere: boolean,
): Parts<number> {
  const pass = new QuickPass(budget)
  let length = 0
  const open = [main]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    if (isAnywhere && !NO_SENTENCES.has(element.name)) {
      budget.work(1 + element.children.length)
      const own = ownText(element).length
      if (own > LEAST_SENTENCE) length += own
    }
    for (const child of element.children) {
      if (pass.ends()) yield
      if (!isTag(child) || but.has(child)) continue
      if (child.name === 'p' || child.name === 'blockquote') {
        const text = textOf(child, budget)
        if (text.length > LEAST_SENTENCE) length += text.length
      } else open.push(child)
    }
  }
  return length
}

/**
 * A page consists of teasers if it has at least this number of them, and at most this much other
 * prose. If most of its text is in teasers, the prose beside them may be longer, unless all of them
 * are in one article: then they are links to more below its story.
 */
export const LEAST_TEASERS = 5
const MOST_BESIDE = 0.2
const MOST_BESIDE_MANY = 0.5
const MANY_SHARE = 0.5

/** True if the sentences of a page are teasers of other pages. */
export function* isMadeOf(prose: Sentences, list: BestList, budget: PageBudget): Parts<boolean> {
  if (prose.length === 0 || list.count < LEAST_TEASERS) return false
  const areMany = list.share > MANY_SHARE && !areInArticle(list.elements, budget)
  const most = areMany ? MOST_BESIDE_MANY : MOST_BESIDE
  return (
    (yield* prose.beside(list.elements)) <= most * prose.length &&
    (list.areBlurbs || areTeasers(list.elements, budget))
  )
}

/** True if one `article` element holds all of these elements. */
function areInArticle(elements: readonly Element[], budget: PageBudget): boolean {
  const end = elements.at(-1)?.endIndex ?? 0
  let node = elements[0]?.parent ?? null
  for (; node !== null && isTag(node); node = node.parent) {
    budget.work(1)
    if (node.name === 'article' && (node.endIndex ?? 0) >= end) return true
  }
  return false
}

/**
 * A page consists of posts if it has at least this number of them. The text that they answer may be
 * as long as all of them.
 */
const LEAST_POSTS = 3
const MOST_BESIDE_POSTS = 0.5
/** The same, if the posts are named comments: more text beside them is an article. */
const MOST_BESIDE_COMMENTS = 0.1

/** True if the sentences of a page are posts of several people. */
export function* isOfPosts(prose: Sentences, list: BestList): Parts<boolean> {
  return (
    prose.length > 0 &&
    list.count >= LEAST_POSTS &&
    Object.hasOwn(list.fields, 'author') &&
    Object.hasOwn(list.fields, 'text') &&
    (yield* prose.beside(list.elements)) <= MOST_BESIDE_POSTS * prose.length &&
    !(yield* areComments(prose, list))
  )
}

/** True for readers' comments on an article. On a forum, posts may have this name, too. */
function* areComments(prose: Sentences, { elements }: BestList): Parts<boolean> {
  const [first] = elements
  return (
    first !== undefined &&
    placementOf(first, true) === 'comments' &&
    (yield* prose.beside(elements)) > MOST_BESIDE_COMMENTS * prose.length
  )
}

/** Maximum share of the text that other products, or parts of one, have on the page of a product. */
const MOST_BESIDE_PRODUCT = 0.25

/** Columns of links to other pages. Rows with another column are the subject of their page. */
const OF_BESIDE = new Set(['title', 'url', 'image', 'text'])

/**
 * True if a page shows the price of one product below a heading, before any item of the list, and
 * the list has little text. Without a button to buy the product, the list has only links.
 */
export function* isBesideProduct(page: PageContent, list: BestList): Parts<boolean> {
  const { elements, fields } = list
  if (list.share >= MOST_BESIDE_PRODUCT) return false
  const heading = yield* headingParts(page)
  if (heading === null) return false
  const { priceIndex, buyIndex } = yield* seenParts(page, heading)
  const from = heading.startIndex ?? 0
  if (priceIndex === null || priceIndex < from) return false
  page.budget.work(elements.length)
  const isBought =
    buyIndex !== null &&
    !elements.some((item) => buyIndex === item.startIndex || isWithin(buyIndex, item))
  return (
    (isBought || Object.keys(fields).every((name) => OF_BESIDE.has(name))) &&
    !elements.some(({ startIndex }) => {
      const start = startIndex ?? 0
      return start > from && start <= priceIndex
    })
  )
}

/** Maximum mean number of characters of an index entry. */
const MOST_ENTRY = 12
/** Maximum share of a few links beside the text of an article. */
const LITTLE_SHARE = 0.1

/** True for a list that is a part of an article, and not the reverse. */
export function* isPartOfArticle(
  prose: Sentences,
  list: BestList,
  budget: PageBudget,
): Parts<boolean> {
  if (isOfGoods(list)) return false
  return (
    isIndex(prose, list) ||
    (prose.length > LEAST_PROSE && list.share < LITTLE_SHARE) ||
    areReferences(list) ||
    (yield* areComments(prose, list)) ||
    (prose.length > LEAST_PROSE && areSections(list, budget))
  )
}

/** True for short entries, like those of an index, beside more text in sentences. */
function isIndex(prose: Sentences, { elements, fields, length }: BestList): boolean {
  return (
    length < Math.min(MOST_ENTRY * elements.length, prose.length) && !Object.hasOwn(fields, 'price')
  )
}

/** Minimum number of links of an index with more text than the sentences beside it. */
const LEAST_LINKS = 20
/** Minimum text of such links, in times of that of the sentences. */
const TIMES_PROSE = 2
/** Minimum number of parts that such links are in. Fewer may be links to more below a story. */
const LEAST_PARENTS = 3
/** Tags of entries with a link each. Other elements may be menus, with many. */
const ENTRIES = new Set(['li', 'a', 'tr', 'dd'])

/**
 * True for links to other pages in many parts of the page, with much more text than its sentences
 * have.
 */
export function isOfLinks(prose: Sentences, list: BestList): boolean {
  return (
    list.count >= LEAST_LINKS &&
    list.share <= 1 &&
    list.length >= TIMES_PROSE * prose.length &&
    ['title', 'url'].every((name) => Object.hasOwn(list.fields, name)) &&
    ENTRIES.has(list.elements[0]?.name ?? '') &&
    new Set(list.elements.map(({ parent }) => parent)).size >= LEAST_PARENTS
  )
}

/** Columns by which readers tell rows apart. */
const NAMING = ['title', 'url', 'price', 'date', 'author', 'text']

/** True for parts of the layout: nothing names them, and they lead nowhere. */
export function isNameless({ fields }: BestList): boolean {
  return !NAMING.some((name) => Object.hasOwn(fields, name))
}

/** Class names of sources and notes. In others, `reference` is a part: `type-entity-reference`. */
const REFERENCES = new RegExp(
  String.raw`(?:^|[\s_-])(?:references|bibliography|citations|footnotes?|endnotes?)(?:$|[\s_-])|` +
    String.raw`(?:^|\s|__)(?:article-)?(?:reference|citation)(?:$|[\s_-])`,
  'i',
)

/** True for the sources and notes of a text. */
function areReferences(list: BestList): boolean {
  const [first] = list.elements
  if (first === undefined || areCards(list)) return false
  const { parent } = first
  const around = parent !== null && isTag(parent) ? classOf(parent) : ''
  return REFERENCES.test(classOf(first)) || REFERENCES.test(around)
}

/** True for items with a picture and a link. */
function areCards({ fields }: BestList): boolean {
  return Object.hasOwn(fields, 'image') && Object.hasOwn(fields, 'url')
}

/** Columns that sections of a text may have. */
const OF_SECTIONS = new Set(['title', 'url', 'image', 'description', 'text'])
/** Number of sections that are checked, and the minimum mean number of characters of each. */
const SECTIONS = 12
const LEAST_SECTION = 500

/** True for sections of a text: long parts whose headings lead nowhere. */
function areSections(list: BestList, budget: PageBudget): boolean {
  const { elements, fields } = list
  if (areCards(list) || !Object.keys(fields).every((name) => OF_SECTIONS.has(name))) return false
  const sample = elements.slice(0, SECTIONS)
  const length = sample.reduce(
    (sum, element) => sum + textStart(element, 4 * LEAST_SECTION, budget).length,
    0,
  )
  return length >= LEAST_SECTION * sample.length && !areTeasers(elements, budget)
}
