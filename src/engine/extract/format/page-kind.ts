import { isList, isObject } from '../../../kernel/json.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { compileJsonPath, matchesIn } from '../value/json-path.ts'

/** The kind of a page, as its data states it. */
export interface PageKind {
  /** Comments are its content. */
  readonly isForum: boolean
  /** The page is one article. Lists of other articles, and galleries, do not belong to it. */
  readonly isArticle: boolean
  /** The page is one product. Reviews and other products do not belong to it. */
  readonly isProduct: boolean
}

/** The page is a forum, by its data or its address. Its comments are its content. */
const FORUM_TYPES = ['QAPage', 'DiscussionForumPosting']
const FORUM_URL = new RegExp(
  String.raw`^https?:\/\/(?:[\w-]+\.)*(?:forums?|community|discuss|discussions?)\.|\/(?:forums?|` +
    String.raw`threads?|topics?|questions?|discussions?|showthread\.php|viewtopic\.php)(?:[/?]|$)`,
  'i',
)
const ARTICLE_TYPE = /Article$|^BlogPosting$|^Report$|^Recipe$/
/** Types of `og:type` for one product. Lists of products are of the type `product.group`. */
export const PRODUCT_TYPE = /^(?:og:)?product(?:\.item)?$/
const types = compileJsonPath("$..['@type']")

/** Returns the kinds that a page states in its data, its meta elements and its address. */
export function* kindParts(page: PageContent): Parts<PageKind> {
  page.budget.work(page.source.length >> 4)
  const isForum = FORUM_URL.test(page.url) || FORUM_TYPES.some((type) => page.source.has(type))
  const mayBe = !isForum && mayBeArticle(page)
  if (mayBe || page.source.has('Product')) yield* page.readData()
  return {
    isForum,
    isArticle: mayBe && isArticle(page),
    isProduct: PRODUCT_TYPE.test(page.meta('og:type') ?? '') || statesProduct(page),
  }
}

function mayBeArticle(page: PageContent): boolean {
  return page.meta('og:type')?.toLowerCase() === 'article'
}

/** True if the data of the page is about one product, or about its variants. */
function statesProduct({ data, source, budget }: PageContent): boolean {
  if (!source.has('Product')) return false
  const objects = data.flatMap((document) => {
    const graph = isObject(document) ? document['@graph'] : undefined
    return isList(graph) ? graph : [document]
  })
  budget.work(4 * objects.length)
  const products = objects.filter(
    (object) =>
      isObject(object) && (object['@type'] === 'Product' || object['@type'] === 'ProductGroup'),
  )
  return products.length === 1
}

/**
 * Some systems call all their pages articles in `og:type`. Their JSON-LD is more exact, if there is
 * any.
 */
function isArticle(page: PageContent): boolean {
  const stated = matchesIn(page.data, types, page.budget)
  return (
    stated.length === 0 ||
    stated.flat().some((type) => typeof type === 'string' && ARTICLE_TYPE.test(type))
  )
}
