import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'
import { textOf } from '../tree/text-content.ts'

const MAX_LINKS = 10_000
/** How often the text of the page may be read for its links: those that lie in one another share it. */
const READINGS = 3

/** The page's links as `{ url, text }`, each URL once, with the first text that says something. */
export function pageLinks(page: PageContent): Json {
  const found = new Map<string, string>()
  let left = READINGS * (page.text.length + page.tree.elements.length)
  for (const element of page.tree.elements) {
    if (
      (element.name !== 'a' && element.name !== 'area') ||
      !Object.hasOwn(element.attribs, 'href')
    )
      continue
    const url = page.resolve(element.attribs['href'] ?? '')
    if (url === null || found.get(url)) continue
    if (found.size === MAX_LINKS && !found.has(url)) {
      page.budget.cut('links', MAX_LINKS)
      break
    }
    if (left <= 0) page.budget.cut('readings of the page for the texts of links', READINGS)
    const text = left > 0 ? textOf(element, page.budget) : ''
    left -= text.length + (element.endIndex ?? 0) - (element.startIndex ?? 0)
    found.set(url, text || (element.attribs['title'] ?? element.attribs['alt'] ?? ''))
  }
  return [...found].map(([url, text]) => ({ url, text }))
}
