import type { Json } from '../../kernel/json.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { Page, PageOverrun } from '../../ports/page-processor.ts'
import { bestList } from './auto/repeated-items.ts'
import { dataTable, tableFields } from './auto/data-table.ts'
import { feedFields } from './format/feed-fields.ts'
import { nextLink } from './auto/next-link.ts'
import { selectorForAll } from './auto/stable-selector.ts'
import { mainContent } from './format/main-content.ts'
import { PageBudget } from './page/page-budget.ts'
import { PageContent, START } from './page/page-content.ts'
import { textOf } from './tree/text-content.ts'
import { compileJsonPath, matchesIn } from './value/json-path.ts'

/** The detected kind of a page, and how to extract it. */
export interface Detection {
  readonly kind: 'list' | 'table' | 'article' | 'product' | 'page'
  /** Usable as a recipe's `extract`. A page of no known kind gives its title and its text. */
  readonly extract: { readonly items?: string; readonly fields: Fields }
  /** Selector of the link to the next page, for a recipe's `follow`. */
  readonly next?: string
  /** Confidence in this kind, 0–1. */
  readonly confidence: number
  /** Present if the page used up its budget before all of it was inspected. */
  readonly overrun?: PageOverrun
}

const types = compileJsonPath("$..['@type']")

const PRODUCT: Fields = {
  name: { product: 'name' },
  price: { product: 'price' },
  currency: { product: 'currency' },
  sku: { product: 'sku' },
  brand: { product: 'brand' },
  availability: { product: 'availability' },
  description: { product: 'description' },
  image: { product: 'image' },
  url: { url: true },
}

const ARTICLE_HEAD: Fields = {
  title: [{ jsonld: '$..headline' }, { meta: 'og:title' }, 'h1', 'title'],
  author: [
    { meta: 'author' },
    { jsonld: '$..author.name' },
    { jsonld: '$..author[*].name' },
    '[rel=author], .author, .byline',
  ],
  date: [
    { meta: 'article:published_time', as: 'date' },
    { jsonld: '$..datePublished', as: 'date' },
    { css: 'time', as: 'date' },
  ],
  description: [{ meta: 'description' }, { meta: 'og:description' }],
  image: { meta: 'og:image', as: 'url' },
}

const PLAIN: Fields = {
  title: ['h1', 'title'],
  description: { meta: 'description' },
  text: 'body',
  url: { url: true },
}

const DOCUMENT: Fields = {
  title: '$.title',
  author: '$.author',
  date: { json: '$.date', as: 'date' },
  pages: '$.pageCount',
  url: { url: true },
  text: '$.text',
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
  const { budget } = content
  const detection = budget.attempt('detection', () => detectIn(content), {
    kind: 'page',
    extract: { fields: PLAIN },
    confidence: 0,
  })
  return budget.overrun === null ? detection : { ...detection, overrun: budget.overrun }
}

function detectIn(content: PageContent): Detection {
  if (content.isFeed)
    return {
      kind: 'list',
      extract: { items: 'item, entry', fields: feedFields(content) },
      confidence: 0.95,
    }
  const table = tableFields(content)
  if (table !== null) return { kind: 'table', extract: table, confidence: 0.95 }
  if (content.document !== null)
    return { kind: 'article', extract: { fields: DOCUMENT }, confidence: 0.5 }
  if (content.kind !== 'html')
    return {
      kind: 'page',
      extract: {
        fields: content.kind === 'json' ? { data: { jsonld: '$' } } : { url: { url: true } },
      },
      confidence: 0,
    }
  const next = nextLink(content)
  const withNext = next === null ? {} : { next: next.css }
  const stated = typesOf(content)
  if (stated.has('Product') && !stated.has('ItemList'))
    return { kind: 'product', extract: { fields: PRODUCT }, confidence: 0.9 }
  const main = mainContent(content)
  const prose = main === null ? 0 : proseLength(main, content.budget)
  const grid = dataTable(content)
  const list = bestList(content)
  const isArticle =
    content.meta('og:type') === 'article' ||
    [...stated].some((type) => /Article$|^BlogPosting$|^Report$/.test(type))
  if (isArticle && prose > 400)
    return { kind: 'article', extract: { fields: articleFields(content) }, confidence: 0.85 }
  if (
    grid !== null &&
    grid.rows * Object.keys(grid.fields).length >
      (list === null ? 0 : list.count * Object.keys(list.fields).length) &&
    grid.rows * 40 > prose * 0.5
  )
    return {
      kind: 'table',
      extract: { items: grid.items, fields: grid.fields },
      ...withNext,
      confidence: Math.min(0.95, 0.6 + grid.rows / 50),
    }
  if (list !== null && (prose < 1_500 || list.share > 0.5))
    return {
      kind: 'list',
      extract: { items: list.items, fields: list.fields },
      ...withNext,
      confidence: Math.min(0.95, 0.4 + list.count / 50 + Object.keys(list.fields).length / 20),
    }
  if (isProduct(content)) return { kind: 'product', extract: { fields: PRODUCT }, confidence: 0.6 }
  if (prose > 400)
    return {
      kind: 'article',
      extract: { fields: articleFields(content) },
      confidence: isArticle ? 0.85 : 0.5,
    }
  return { kind: 'page', extract: { fields: PLAIN }, ...withNext, confidence: 0.1 }
}

function articleFields(content: PageContent): Fields {
  const main = mainContent(content)
  const css = main === null ? null : selectorForAll(content, [main], 0)
  return { ...ARTICLE_HEAD, url: { url: true }, content: { css: css ?? 'body', as: 'markdown' } }
}

function typesOf(content: PageContent): Set<string> {
  const typeNames = matchesIn(content.data, types, content.budget).flatMap((type: Json) =>
    typeof type === 'string'
      ? [type]
      : Array.isArray(type)
        ? type.filter((one) => typeof one === 'string')
        : [],
  )
  for (const { attribs } of content.tree.elements) {
    const type = attribs['itemtype']
    if (type !== undefined && !Object.hasOwn(attribs, 'itemprop'))
      typeNames.push(type.replace(/^https?:\/\/(?:www\.)?schema\.org\//, ''))
  }
  // A list of products declares each product; a product's own page declares one.
  if (typeNames.filter((type) => type === 'Product').length > 3) typeNames.push('ItemList')
  return new Set(typeNames)
}

function isProduct(content: PageContent): boolean {
  return (
    /^(?:og:)?product/.test(content.meta('og:type') ?? '') ||
    content.meta('product:price:amount') !== null ||
    content.tree.elements.some((element) => element.attribs['itemprop'] === 'price')
  )
}

/** Counts the characters in paragraphs that are sentences. */
function proseLength(main: ReturnType<typeof mainContent> & object, budget: PageBudget): number {
  let length = 0
  const open = [main]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) {
      if (!('name' in child) || !('attribs' in child)) continue
      if (child.name === 'p' || child.name === 'blockquote') {
        const text = textOf(child, budget)
        if (text.length > 80) length += text.length
      } else open.push(child)
    }
  }
  return length
}
