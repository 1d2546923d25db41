import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { compileJsonPath, matchesIn } from '../value/json-path.ts'

/** The kind of a page, as its data states it. */
export interface PageKind {
  /** Comments are its content. */
  readonly isForum: boolean
  /** The page is one article. Lists of other articles, and galleries, do not belong to it. */
  readonly isArticle: boolean
}

/** The page is a forum, by its data or its address. Its comments are its content. */
const FORUM_TYPES = ['QAPage', 'DiscussionForumPosting']
const FORUM_URL = new RegExp(
  String.raw`^https?:\/\/(?:[\w-]+\.)*(?:forums?|community|discuss|discussions?)\.|\/(?:forums?|` +
    String.raw`threads?|topics?|questions?|discussions?|showthread\.php|viewtopic\.php)(?:[/?]|$)`,
  'i',
)
const ARTICLE_TYPE = /Article$|^BlogPosting$|^Report$|^Recipe$/
const types = compileJsonPath("$..['@type']")

/** Returns the kinds that a page states in its data, its meta elements and its address. */
export function* kindParts(page: PageContent): Parts<PageKind> {
  page.budget.work(page.source.length >> 4)
  const isForum = FORUM_URL.test(page.url) || FORUM_TYPES.some((type) => page.source.has(type))
  if (isForum || !mayBeArticle(page)) return { isForum, isArticle: false }
  yield* page.readData()
  return { isForum, isArticle: isArticle(page) }
}

function mayBeArticle(page: PageContent): boolean {
  return page.meta('og:type')?.toLowerCase() === 'article'
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
