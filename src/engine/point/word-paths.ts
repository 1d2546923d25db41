import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { PLAIN_TAG, select } from '../extract/auto/stable-selector.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { textStart } from '../extract/tree/text-content.ts'

/** Maximum number of letters of a text that names a value. A longer text is a value itself. */
const LONGEST_LABEL = 40
/** Elements whose own text describes their purpose. */
const NAMED_BY_TEXT: ReadonlySet<string> = new Set(['a', 'button', 'summary', 'label'])
/** Maximum number of levels above an element at which a label may be before it. */
const LABEL_LEVELS = 2

/**
 * XPaths that find an element by words: by the label before it, as in lists of properties and in
 * tables, or by its own text, for links and buttons. `null`: on the whole page.
 */
export function wordPaths(page: PageContent, target: Element, scope: Element | null): string[] {
  const paths: string[] = []
  let below = ''
  let element = target
  for (let level = 0; level < LABEL_LEVELS && element !== scope; level++) {
    const { parent } = element
    if (parent === null || !isTag(parent) || !PLAIN_TAG.test(element.name)) break
    const label = labelBefore(page, element)
    if (label !== null) {
      paths.push(`${label}/following-sibling::*[1]${below}`)
      break
    }
    below = `/${element.name}[1]${below}`
    element = parent
  }
  const own = NAMED_BY_TEXT.has(target.name) ? byText(page, target) : null
  if (own !== null) paths.push(own)
  return paths.filter((path) => select(page, path, scope)[0] === target)
}

/** The path of the element before another one, if it has only a short text. */
function labelBefore(page: PageContent, element: Element): string | null {
  const siblings = element.parent?.children.filter(isTag) ?? []
  page.budget.work(siblings.length)
  const before = siblings[siblings.indexOf(element) - 1]
  return before === undefined ? null : byText(page, before)
}

function byText(page: PageContent, element: Element): string | null {
  if (!PLAIN_TAG.test(element.name)) return null
  const text = textStart(element, LONGEST_LABEL + 1, page.budget)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (text.length > LONGEST_LABEL || !/\p{L}/u.test(text) || text.includes("'")) return null
  return `.//${element.name}[normalize-space()='${text}']`
}
