import type { Element } from 'domhandler'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { Page } from '../../ports/page-processor.ts'
import type { PageOverrun } from '../../ports/page-limits.ts'
import { dataTableParts, tableFieldParts } from './auto/data-table.ts'
import { jsonLists } from './auto/json-list.ts'
import type { JsonList } from './auto/json-list.ts'
import {
  isBesideProduct,
  isMadeOf,
  isNameless,
  isOfLinks,
  isOfPosts,
  isPartOfArticle,
  LEAST_PROSE,
  LEAST_TEASERS,
  Sentences,
} from './auto/list-or-article.ts'
import { DOCUMENT, PLAIN, PRODUCT } from './page-fields.ts'
import { nextRuleParts, type NextRule } from './auto/next-rule.ts'
import { isOfGoods, listsOf, nextOf } from './auto/repeated-items.ts'
import type { BestList, Lists } from './auto/repeated-items.ts'
import { feedFields } from './format/feed-fields.ts'
import { isTitledTable } from './auto/shared-cells.ts'
import { selectorParts } from './auto/stable-selector.ts'
import { mainContent, mainParts } from './format/main-content.ts'
import { PRODUCT_TYPE } from './format/page-kind.ts'
import { asNothing, atOnce, filterParts, QuickPass, type Parts } from './page/in-turns.ts'
import { PageBudget } from './page/page-budget.ts'
import { PageContent, START } from './page/page-content.ts'
import { compileJsonPath, matchesIn } from './value/json-path.ts'

/** The detected kind of a page, and how to extract it. */
export interface Detection {
  readonly kind: 'list' | 'table' | 'article' | 'product' | 'page'
  /** Usable as a recipe's `extract`. A page of no known kind gives its title and its text. */
  readonly extract: { readonly items?: string; readonly fields: Fields }
  /**
   * The way to the next page, for a recipe's `follow`: the selector of a link, or on a JSON page a
   * JSONPath.
   */
  readonly next?: string
  /** The query parameter that takes the value of `next`, where that is not a URL. */
  readonly param?: string
  /** Confidence in this kind, 0–1. */
  readonly confidence: number
  /** Why the page is taken for this kind, in a sentence for people. */
  readonly reason: string
  /** Present if the page used up its budget before all of it was inspected. */
  readonly overrun?: PageOverrun
}

const types = compileJsonPath("$..['@type']")

/** Comments have authors and times of their own. */
const NOT_IN_COMMENTS =
  ':not(#comments *, .comments *, .comment *, .comment-list *, #disqus_thread *)'

const ARTICLE_HEAD: Fields = {
  title: [{ jsonld: '$..headline' }, { meta: 'og:title' }, 'h1', 'title'],
  author: [
    { meta: 'author' },
    { jsonld: '$..author.name' },
    { jsonld: '$..author[*].name' },
    `[rel=author]${NOT_IN_COMMENTS}, .author${NOT_IN_COMMENTS}`,
    {
      css: `.byline${NOT_IN_COMMENTS}`,
      // A line break marks the start of the text, because no text has one after `collapse`. A regex
      // would need an engine.
      transform: [
        'collapse',
        { prefix: '\n' },
        ...['By', 'by', 'BY'].map((by) => ({ replace: [`\n${by} `, ''] as const })),
        'trim',
      ],
    },
  ],
  date: [
    { meta: 'article:published_time', as: 'date' },
    { jsonld: '$..datePublished', as: 'date' },
    { css: `time${NOT_IN_COMMENTS}`, as: 'date' },
  ],
  description: [{ meta: 'description' }, { meta: 'og:description' }],
  image: { meta: 'og:image', as: 'url' },
}

/**
 * Inspects a page and proposes what to extract. Never throws on content. Call `preparePage` first
 * for a page that may be CSV or JSON Lines. If the page is too costly, the proposal is the default
 * one.
 *
 * @example
 *   const body = new TextEncoder().encode('<ul><li><b>Pen</b> 2</li><li><b>Ink</b> 3</li></ul>')
 *   const { extract } = detect({ url: 'https://example.com/', contentType: 'text/html', body })
 */
export function detect(page: Page, budget = new PageBudget()): Detection {
  return detectContent(new PageContent(page, START, budget))
}

/**
 * Like {@link detect}, for a page that also has other questions. Its tree and data are made only
 * once.
 */
export function detectContent(content: PageContent): Detection {
  return atOnce(detectParts(content))
}

/** Like {@link detectContent} in parts. */
export function detectParts(content: PageContent): Parts<Detection> {
  return firstWithin(content, nextRuleParts(content))
}

/** Like {@link detectParts}, without the way to the next page, which costs as much as a list. */
export function kindParts(content: PageContent): Parts<Detection> {
  return firstWithin(content, noRule())
}

/** Finds the way to the next page. */
type FindNext = Parts<NextRule | null>

function* noRule(): FindNext {
  yield
  return null
}

function* firstWithin(content: PageContent, findNext: FindNext): Parts<Detection> {
  const { budget } = content
  let detection = NOTHING_FOUND
  budget.where = 'detection'
  try {
    for (const candidate of candidates(content, findNext)) {
      if (candidate !== null) {
        detection = candidate
        break
      }
      yield
    }
  } catch (error) {
    budget.settle(error, null)
  }
  return budget.overrun === null ? detection : { ...detection, overrun: budget.overrun }
}

/** Minimum number of characters of sentences in a page that says that it is an article. */
const LEAST_SAID = 150

/** Maximum number of proposals for one page. */
const MOST_PROPOSALS = 6

/**
 * Returns all ways to read a page, best first. The first one is that of {@link detectContent}. When
 * the budget ends, the others are left out.
 */
export function* detectAllParts(content: PageContent): Parts<readonly Detection[]> {
  const detections: Detection[] = []
  const detectEach = function* (): Parts<void> {
    for (const detection of candidates(content, nextRuleParts(content))) {
      if (detection === null) {
        yield
        continue
      }
      detections.push(detection)
      if (detections.length === MOST_PROPOSALS) break
    }
  }
  yield* content.budget.attemptParts('detection', detectEach(), undefined)
  return detections.length > 0 ? detections : [NOTHING_FOUND]
}

const NOTHING_FOUND: Detection = {
  kind: 'page',
  extract: { fields: PLAIN },
  confidence: 0,
  reason: 'Nothing on the page repeats, and it has no article.',
}

/** Detections, and `null` between parts of the work on them. */
type Candidates = Generator<Detection | null, void, undefined>

/** Yields each detection on demand, so that the first one does not pay for the others. */
function* candidates(content: PageContent, findNext: FindNext): Candidates {
  if (content.kind === 'html') return yield* ofHtml(content, findNext)
  if (content.isFeed)
    return yield {
      kind: 'list',
      extract: { items: 'item, entry', fields: feedFields(content) },
      confidence: 0.95,
      reason: 'The document is a feed.',
    }
  if (content.isTable) yield* asNothing(content.readData())
  const table = yield* asNothing(tableFieldParts(content))
  if (table !== null)
    yield {
      kind: 'table',
      extract: table,
      confidence: 0.95,
      reason:
        content.document === null
          ? 'The document is a list of records.'
          : 'The document is a table, or most of it.',
    }
  if (content.document !== null) {
    yield {
      kind: 'article',
      extract: { fields: DOCUMENT },
      confidence: 0.5,
      reason: 'The row is the whole document.',
    }
    const largest = table === null ? yield* asNothing(tableFieldParts(content, 0)) : null
    if (largest !== null)
      yield {
        kind: 'table',
        extract: largest,
        confidence: 0.4,
        reason: 'The document has a table beside its text.',
      }
    return
  }
  if (table !== null) return
  if (content.kind === 'json') return yield* ofJson(content, findNext)
  yield {
    kind: 'page',
    extract: { fields: { url: { url: true } } },
    confidence: 0,
    reason: 'This kind of document has no parts.',
  }
}

function* ofJson(content: PageContent, findNext: FindNext): Candidates {
  const next = yield* asNothing(findNext)
  yield null
  yield* asNothing(content.readData())
  for (const list of yield* asNothing(jsonLists(content.data, content)))
    yield {
      kind: 'list',
      extract: { items: list.items, fields: list.fields },
      ...next,
      confidence: Math.min(0.95, 0.6 + list.count / 50),
      reason: `The document has ${list.count} objects at ${list.items}.`,
    }
  yield {
    kind: 'page',
    extract: { fields: { data: { jsonld: '$' } } },
    confidence: 0,
    reason: 'The row is the whole document.',
  }
}

function* ofHtml(content: PageContent, findNext: FindNext): Candidates {
  const next = yield* asNothing(findNext)
  yield null
  yield* asNothing(content.readData())
  const stated = yield* asNothing(typesOf(content))
  // An article of a newspaper may state the subscription that it is a part of.
  const isNews = [...stated].some((type) => type.endsWith('NewsArticle'))
  const isOneProduct =
    (stated.has('Product') && !stated.has('ItemList') && !isNews) || saysProduct(content)
  const lists = mainFirst(listsOf(content))
  // A shop may state the products of a list as one product.
  const beside = isOneProduct ? yield* nextOf(lists) : null
  yield null
  const least = stated.has('AggregateOffer') ? LEAST_GOODS : MOST_RELATED
  const isOfManyGoods = beside !== null && isOfGoods(beside) && beside.count >= least
  const isStated = isOneProduct && !isOfManyGoods
  if (isStated)
    yield {
      kind: 'product',
      extract: { fields: PRODUCT },
      confidence: 0.9,
      reason: 'The page says in its data that it is about one product.',
    }
  const main = yield* asNothing(mainParts(content))
  yield null
  const isArticle =
    content.meta('og:type')?.toLowerCase() === 'article' ||
    [...stated].some((type) => /Article$|^BlogPosting$|^Report$/.test(type))
  const prose = yield* asNothing(Sentences.of(main, isArticle, content.budget))
  yield null
  const grid = yield* asNothing(dataTableParts(content))
  yield null
  const list = beside ?? (yield* nextOf(lists))
  yield null
  const article: Detection | null =
    prose.length > (isArticle ? LEAST_SAID : LEAST_PROSE)
      ? {
          kind: 'article',
          extract: { fields: yield* asNothing(articleFields(content)) },
          confidence: isArticle ? 0.85 : 0.5,
          reason:
            `The page has ${shown(prose.length)} characters of sentences` +
            (isArticle ? ', and says that it is an article.' : '.'),
        }
      : null
  const table: Detection | null =
    grid !== null
      ? {
          kind: 'table',
          extract: { items: grid.items, fields: grid.fields },
          ...next,
          confidence: Math.min(0.95, 0.6 + grid.rows / 50),
          reason: `A table of ${shown(grid.rows)} rows and ${Object.keys(grid.fields).length} columns.`,
        }
      : null
  const isTable =
    grid !== null &&
    !(list !== null && isTitledTable(content, list)) &&
    grid.rows * Object.keys(grid.fields).length >
      (list === null ? 0 : list.count * list.roleCount) &&
    grid.rows * 40 > prose.length * 0.5 &&
    !(list !== null && isCalendar(Object.keys(grid.fields).length, grid.rows))
  const ofList = (best: BestList): Detection => ({
    kind: 'list',
    extract: { items: best.items, fields: best.fields },
    ...next,
    confidence: Math.min(0.95, 0.4 + best.count / 50 + Object.keys(best.fields).length / 20),
    reason:
      `${shown(best.count)} parts of the page are alike, ` +
      `with ${shown(Math.round(best.share * 100))} % of its text.`,
  })

  // The page's own statement is not enough, because many lists of articles claim to be an article.
  const isTeasers = list !== null && (yield* asNothing(isMadeOf(prose, list, content.budget)))
  const arePosts = list !== null && (yield* asNothing(isOfPosts(prose, list)))
  const areLinks = list !== null && isOfLinks(prose, list)
  const isLike =
    list !== null &&
    !isNameless(list) &&
    !(article !== null && (yield* asNothing(isPartOfArticle(prose, list, content.budget)))) &&
    (prose.length < 1_500 ||
      list.share > 0.5 ||
      isTeasers ||
      arePosts ||
      areLinks ||
      // Products beside a guide to them.
      (!isArticle && list.count >= LEAST_TEASERS && isOfGoods(list)))
  const isBeside =
    isLike && list !== null && !isTable && (yield* asNothing(isBesideProduct(content, list)))
  const isList = isLike && !isBeside
  const isArticleFirst =
    isArticle &&
    article !== null &&
    !isTeasers &&
    !arePosts &&
    !areLinks &&
    !(isTable && prose.length <= LEAST_PROSE)
  if (isArticleFirst) yield article
  if (isTable && table !== null) yield table
  if (isList && list !== null) yield ofList(list)
  if (!isStated && (isBeside || (yield* asNothing(isProduct(content)))))
    yield {
      kind: 'product',
      extract: { fields: PRODUCT },
      confidence: 0.6,
      reason: 'The page has the price of one product.',
    }
  if (!isArticleFirst && article !== null) yield article
  // Content that scripts render is not in the markup, but may be in the state that scripts left.
  yield* asNothing(content.readState())
  const inState = yield* asNothing(jsonLists(content.state, content))
  const states = inState.filter(({ count }) => count >= LEAST_STATE)
  const isEmpty = article === null && list === null && grid === null
  if (isEmpty) yield* states.map(ofState)
  if (!isTable && table !== null) yield table
  if (!isList && list !== null) yield ofList(list)
  for (const other of lists) yield other && ofList(other)
  const documents = content.data.filter(isNoTrail)
  for (const { items, fields, count } of yield* asNothing(jsonLists(documents, content)))
    if (count >= LEAST_STATE)
      yield {
        kind: 'list',
        extract: { items, fields },
        confidence: 0.3,
        reason: `The page states ${shown(count)} things as JSON-LD at ${items}.`,
      }
  if (!isEmpty) yield* states.map(ofState)
  yield {
    kind: 'page',
    extract: { fields: PLAIN },
    ...next,
    confidence: 0.1,
    reason: 'One row for the whole page.',
  }
}

/** Share of the main content's text with which a second list replaces a first one that has less. */
const LITTLE_SHARE = 0.25
const MAIN_SHARE = 0.6

/**
 * Puts the second list first if it has most of the text and the first has little, or if it has
 * titles and more text and the first has no titles.
 */
function* mainFirst(lists: Lists): Lists {
  const first = yield* nextOf(lists)
  if (first === null) return
  const isUntitled = !hasNames(first)
  if ((first.share < LITTLE_SHARE || isUntitled) && !isOfGoods(first)) {
    const second = yield* nextOf(lists)
    if (second !== null) {
      const least = isUntitled && hasNames(second) ? first.share : MAIN_SHARE
      yield* second.share >= least && second.share <= 1 ? [second, first] : [first, second]
    } else yield first
  } else yield first
  yield* lists
}

/** True for rows with titles, or for posts, which have authors. */
function hasNames({ fields }: BestList): boolean {
  return ['title', 'author'].some((name) => Object.hasOwn(fields, name))
}

/** False for the links to the sections above the page, which is not a list of its content. */
function isNoTrail(data: Json): boolean {
  return !(isObject(data) && data['@type'] === 'BreadcrumbList')
}

/** Minimum number of objects in the state of scripts. Fewer objects are settings. */
const LEAST_STATE = 3

function ofState({ items, fields, count }: JsonList): Detection {
  return {
    kind: 'list',
    extract: { items: `:state(${items})`, fields },
    confidence: 0.4,
    reason: `Scripts left ${shown(count)} objects in the page at ${items}.`,
  }
}

function shown(count: number): string {
  return count.toLocaleString('en')
}

function* articleFields(content: PageContent): Parts<Fields> {
  const main = mainContent(content)
  const css = main === null ? null : yield* selectorParts(content, [main], 0)
  return { ...ARTICLE_HEAD, url: { url: true }, content: { css: css ?? 'body', as: 'markdown' } }
}

function* typesOf(content: PageContent): Parts<Set<string>> {
  const typeNames = matchesIn(content.data, types, content.budget).flatMap((type: Json) =>
    typeof type === 'string'
      ? [type]
      : Array.isArray(type)
        ? type.filter((name) => typeof name === 'string')
        : [],
  )
  const pass = new QuickPass(content.budget)
  for (const { attribs } of content.tree.elements) {
    if (pass.ends()) yield
    const type = attribs['itemtype']
    if (type !== undefined && !Object.hasOwn(attribs, 'itemprop'))
      typeNames.push(type.replace(/^https?:\/\/(?:www\.)?schema\.org\//, ''))
  }
  // Some shops write `product`.
  const stated = typeNames.map((type) => type.charAt(0).toUpperCase() + type.slice(1))
  const countOf = (name: string): number => stated.filter((type) => type === name).length
  // The variants of a product are products, too.
  if (countOf('ProductGroup') === 1) return new Set([...stated, 'Product'])
  // A list of products declares each product; a product's own page declares one.
  if (countOf('Product') > 3) stated.push('ItemList')
  return new Set(stated)
}

function* isProduct(content: PageContent): Parts<boolean> {
  if (/^(?:og:)?product/.test(content.meta('og:type') ?? '')) return true
  const isPrice = ({ attribs }: Element): boolean => attribs['itemprop'] === 'price'
  return (yield* filterParts(content.tree.elements, isPrice, content.budget, 1)).length > 0
}

/** True if the page says for other sites that it is about one product. */
function saysProduct(content: PageContent): boolean {
  const type = content.meta('og:type') ?? ''
  return (
    PRODUCT_TYPE.test(type) || (type !== 'article' && content.meta('product:price:amount') !== null)
  )
}

/** True for a table of the days of a month, beside a list. */
function isCalendar(columns: number, rows: number): boolean {
  return columns === 7 && rows >= 4 && rows <= 6
}

/** Minimum number of products in a list for a page to be about the list and not about one product. */
const LEAST_GOODS = 6
/** Maximum number of other products on the page of one product. */
const MOST_RELATED = 30
