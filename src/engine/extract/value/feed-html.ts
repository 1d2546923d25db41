import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { parseTree } from '../tree/parse-tree.ts'
import { innerHtml } from '../tree/serialise.ts'
import { rawText } from '../tree/text-content.ts'

const MARKUP = /<[a-z!/]|&(?:[a-z]{2,8}|#x?[\da-f]+);/i

/**
 * The HTML that an element of a feed holds as text (RSS `description`, Atom `content type="html"`)
 * or as elements (Atom `type="xhtml"`); `null` where its content is no HTML.
 */
export function feedHtml(element: Element, page: PageContent): string | null {
  const type = element.attribs['type']
  if (!page.isFeed || type === 'text' || type === 'text/plain') return null
  const inner = element.children.find(isTag)
  if (inner !== undefined)
    return type === 'xhtml' || type === 'application/xhtml+xml'
      ? innerHtml(inner, page.budget)
      : null
  const text = rawText(element, page.budget)
  return MARKUP.test(text) ? text.trim() : null
}

/** The body of such HTML. */
export function feedHtmlBody(html: string, budget: PageBudget): Element | null {
  return parseTree(html, false, budget).elements.find(({ name }) => name === 'body') ?? null
}
