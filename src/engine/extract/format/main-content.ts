import { isTag, isText, type Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'

/** Elements that surround the content but are not part of it. */
const BESIDE = new Set([
  'nav',
  'aside',
  'footer',
  'header',
  'form',
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'dialog',
  'button',
  'select',
  'svg',
  'menu',
])
const BESIDE_ROLE = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'menu',
  'menubar',
  'toolbar',
  'alert',
  'alertdialog',
])
const BESIDE_NAME =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|masthead|banner|cookies?|consent|gdpr|newsletter|subscribe|subscription|signup|share|sharing|social|related|recommend\w*|comments?|disqus|advert\w*|ads?|promo|sponsor\w*|popup|modal|overlay|pagination|pager|skip-?link|toolbar|widget|tags|author-?(?:bio|box)|outbrain|taboola|print-?only|screen-reader\w*|sr-only|visually-hidden)(?:$|[\s_-])/i
const CONTENT_NAME =
  /(?:^|[\s_-])(?:article|post|entry|story|content|main|body|text|blog|page)(?:$|[\s_-])/i

/** What a subtree contains. `beside` elements are not counted. */
interface Weight {
  /** Characters of text outside links. */
  text: number
  /** Characters of text inside links. */
  linked: number
  /** Score of the paragraphs directly below, plus half the score of those one level deeper. */
  score: number
}

/**
 * Returns the element with the page's main content: `<main>` or a single `<article>` if it has most
 * of the text, else the element whose paragraphs have the highest score. Navigation and similar
 * elements are not counted. Falls back to the body, or to the whole document without a body.
 */
export function mainContent(page: PageContent): Element | null {
  const { elements } = page.tree
  const weights = weigh(elements)
  const body = elements.find((element) => element.name === 'body') ?? page.tree.root
  if (body === null) return null
  const all = weightOf(weights, body)
  const marked = named(elements, weights)
  if (marked !== null && weightOf(weights, marked).text >= Math.max(140, all.text * 0.3))
    return marked
  let best: Element | null = null
  let bestScore = 20
  for (const element of elements) {
    const weight = weightOf(weights, element)
    const total = weight.text + weight.linked
    if (weight.score === 0 || total === 0) continue
    const score =
      weight.score * (1 - weight.linked / total) * (CONTENT_NAME.test(nameOf(element)) ? 1.25 : 1)
    if (score > bestScore) {
      best = element
      bestScore = score
    }
  }
  return best === null ? body : widen(best, body, weights)
}

/** True for elements around the content: navigation, side columns, forms, dialogs, sharing buttons. */
export function isBeside(element: Element): boolean {
  if (
    element.name === 'body' ||
    element.name === 'main' ||
    element.name === 'article' ||
    element.name === 'html'
  )
    return false
  // A header inside an article holds its title.
  if (element.name === 'header') return !isInContent(element)
  if (
    BESIDE.has(element.name) ||
    element.attribs['aria-hidden'] === 'true' ||
    Object.hasOwn(element.attribs, 'hidden')
  )
    return true
  const role = element.attribs['role']
  if (role !== undefined && BESIDE_ROLE.has(role.toLowerCase())) return true
  const name = nameOf(element)
  return (
    name !== ' ' &&
    BESIDE_NAME.test(name) &&
    !/(?:^|[\s_-])(?:article|main|content)(?:$|[\s_-])/i.test(name)
  )
}

/**
 * Cached results for the parents of headers. Each level is climbed once, however many headers it
 * has.
 */
const inContent = new WeakMap<Element, boolean>()

function isInContent(header: Element): boolean {
  const climbed: Element[] = []
  let found = false
  for (let above = header.parent; above !== null && isTag(above); above = above.parent) {
    const known = above.name === 'article' || above.name === 'main' ? true : inContent.get(above)
    if (known !== undefined) {
      found = known
      break
    }
    climbed.push(above)
  }
  for (const element of climbed) inContent.set(element, found)
  return found
}

function nameOf(element: Element): string {
  return `${element.attribs['class'] ?? ''} ${element.attribs['id'] ?? ''}`
}

function named(elements: readonly Element[], weights: readonly Weight[]): Element | null {
  const candidates = elements.filter(
    (element) =>
      element.name === 'main' ||
      element.name === 'article' ||
      element.attribs['role'] === 'main' ||
      element.attribs['itemprop'] === 'articleBody',
  )
  const body = candidates.filter((element) => element.attribs['itemprop'] === 'articleBody')
  const articles = candidates.filter((element) => element.name === 'article')
  if (body.length === 1) return body[0] ?? null
  const heaviest = articles.toSorted(
    (a, b) => weightOf(weights, b).text - weightOf(weights, a).text,
  )
  const [first, second] = heaviest
  if (
    first !== undefined &&
    (second === undefined || weightOf(weights, first).text > 3 * weightOf(weights, second).text)
  )
    return first
  return (
    candidates.find((element) => element.name === 'main' || element.attribs['role'] === 'main') ??
    null
  )
}

// Children come after their parents in document order, so going backwards every element is
// complete when it is added up.
function weigh(elements: readonly Element[]): Weight[] {
  const weights: Weight[] = elements.map(() => ({ text: 0, linked: 0, score: 0 }))
  for (let at = elements.length - 1; at >= 0; at--) {
    const element = elements[at]
    const weight = weights[at]
    if (element === undefined || weight === undefined) continue
    if (isBeside(element)) {
      weights[at] = { text: 0, linked: 0, score: 0 }
      continue
    }
    let own = 0
    let commas = 0
    for (const child of element.children) {
      if (!isText(child)) continue
      const text = child.data.trim()
      own += text.length
      if (text.length > 25) commas += commasIn(text)
    }
    if (element.name === 'a') {
      weight.linked += weight.text + own
      weight.text = 0
    } else weight.text += own
    const { parent } = element
    const above = parent !== null && isTag(parent) ? weights[parent.startIndex ?? -1] : undefined
    if (above === undefined || parent === null || !isTag(parent)) continue
    above.text += weight.text
    above.linked += weight.linked
    const length = weight.text + weight.linked
    if (
      (element.name === 'p' ||
        element.name === 'pre' ||
        element.name === 'blockquote' ||
        own > 80) &&
      length > 25
    ) {
      const points = 1 + commas + Math.min(3, length / 100)
      above.score += points
      const further =
        parent.parent !== null && isTag(parent.parent)
          ? weights[parent.parent.startIndex ?? -1]
          : undefined
      if (further !== undefined) further.score += points / 2
    }
  }
  return weights
}

// If the content is split over several blocks, climb while the parent adds much text and few
// links.
function widen(start: Element, body: Element, weights: readonly Weight[]): Element {
  let best = start
  for (
    let above = start.parent;
    above !== null && isTag(above) && above !== body;
    above = above.parent
  ) {
    const here = weightOf(weights, best)
    const there = weightOf(weights, above)
    if (there.text > here.text * 1.2 && there.linked < there.text * 0.35) best = above
  }
  return best
}

function commasIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // , ; and those of Han, its full width, and Arabic
    if (code === 0x2c || code === 0x3b || code === 0x3001 || code === 0xff0c || code === 0x60c)
      count++
  }
  return count
}

function weightOf(weights: readonly Weight[], element: Element): Weight {
  return weights[element.startIndex ?? -1] ?? { text: 0, linked: 0, score: 0 }
}
