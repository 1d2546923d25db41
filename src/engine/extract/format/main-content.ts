import { isText } from 'domhandler'
import type { Element } from 'domhandler'
import { atOnce, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { MainContent, PageContent } from '../page/page-content.ts'
import { treeParts } from '../tree/parse-tree.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { BLOCK } from '../tree/text-content.ts'
import { leaveOutAsides } from './article-asides.ts'
import { leaveOutRepeated, leaveOutWithin } from './content-filter.ts'
import { kindParts } from './page-kind.ts'
import { countWeights, weighTree, weightOf, type Weight } from './page-weights.ts'

/** Minimum share of prose in a page's text. With less, the page is a list, a form or a gallery. */
const LEAST_PROSE = 0.2
const FEW_CHARACTERS = 100
/**
 * Minimum length of a `<noscript>` with content. A shorter one asks for scripts, or loads a
 * picture.
 */
const SHORTEST_NOSCRIPT = 2_000
/** Minimum share of the page's prose in a marked element, for it to contain the content. */
const LEAST_MARKED = 0.3
/** The same for an element that is mostly prose, beside lists of other pages. */
const LEAST_MARKED_PROSE = 0.15
/** Minimum share of its parent's prose in an element, for it to contain the parent's content. */
const MOST_OF_PARENT = 0.7
/**
 * Minimum share of text outside links in such an element, for it to contain the rest of the content
 * too.
 */
const LEAST_TEXT = 0.5
/** Elements that are parts of prose, so they are never all of the content. */
const PROSE_PART = /^(?:p|blockquote|pre|li|dl)$/
/**
 * Minimum share of the content's prose in a later block that continues it. The block must be mostly
 * prose.
 */
const LEAST_FURTHER = 0.1
const MOSTLY_PROSE = 0.6
/** Share of the page's prose from which the content is an article. */
const ARTICLE_SHARE = 0.6
/**
 * Maximum length of lines between an article's title and its text that are its date, author or
 * credits.
 */
const SHORT_LINE = 80
const LONGEST_TITLE = 300

/**
 * Returns the page's main content. `null` for an empty page.
 *
 * 1. Each element is weighed: its text, its links, its prose ({@link weighTree}). Navigation and the
 *    like do not count.
 * 2. The content is in the body, or in what the page marks as its article or main part. From there the
 *    search goes down as long as one child has most of the prose.
 * 3. It is widened to the title above and what stands between, such as a lead or a price.
 * 4. Parts that do not belong to it are left out ({@link leaveOutWithin}).
 */
export function* contentParts(page: PageContent): Parts<MainContent | null> {
  const { tree, source, mainContent: present } = page
  if (present !== undefined) return present
  const content = (yield* withoutScripts(page)) ?? (yield* findContent(tree, source.length, page))
  page.mainContent = content
  return content
}

/**
 * Returns the element of the page's tree with its main content. See {@link contentParts}. `null` if
 * the content is in a `<noscript>`, which is not in the tree.
 */
export function mainContent(page: PageContent): Element | null {
  return page.mainContent === undefined ? atOnce(mainParts(page)) : inTree(page, page.mainContent)
}

/** Like {@link mainContent} in parts. */
export function* mainParts(page: PageContent): Parts<Element | null> {
  return inTree(page, yield* contentParts(page))
}

function inTree(page: PageContent, content: MainContent | null): Element | null {
  const root = content?.root ?? null
  return root !== null && page.tree.elements[root.startIndex ?? -1] === root ? root : null
}

/**
 * Some pages hold their content twice: for their scripts as data, and for readers without scripts
 * in a `<noscript>`. Returns the content of the longest `<noscript>` if the page shows little
 * else.
 */
function* withoutScripts(page: PageContent): Parts<MainContent | null> {
  const { tree, source } = page
  let longest = ''
  const pass = new QuickPass(page.budget, 2)
  for (const { name, children } of tree.elements) {
    if (pass.ends()) yield
    if (name === 'noscript')
      for (const child of children)
        if (isText(child) && child.data.length > longest.length) longest = child.data
  }
  if (longest.length < SHORTEST_NOSCRIPT) return null
  const innerTree = yield* treeParts(longest, false, page.budget)
  const inner = yield* findContent(innerTree, longest.length, page)
  const shown = yield* findContent(tree, source.length, page)
  return inner !== null && inner.size > FEW_CHARACTERS && inner.size > 2 * (shown?.size ?? 0)
    ? inner
    : shown
}

/** `tree`: the page's, or that of a part, made of `length` characters. */
function* findContent(tree: Tree, length: number, page: PageContent): Parts<MainContent | null> {
  const { elements, root } = tree
  const bodyElement = elements.find((element) => element.name === 'body') ?? root
  if (bodyElement === null) return null
  const kind = yield* kindParts(page)
  const ofForum = kind.isForum
  const weights = yield* weighTree(tree, bodyElement, length, page.budget, kind)
  yield
  const body = weightOf(weights, bodyElement)
  if (body === null) return null
  if (kind.isArticle && leaveOutAsides(weights, body, page.budget))
    yield* countWeights(weights, page.budget)
  const isProse = body.prose >= Math.max(FEW_CHARACTERS, LEAST_PROSE * (body.text + body.linked))
  const valueOf = isProse
    ? ({ prose }: Weight): number => prose
    : ({ text, linked }: Weight): number => text + linked
  const marked = yield* markedContent(weights, valueOf, page.budget)
  // On a forum an article is one post of many.
  const least = ofForum
    ? MOST_OF_PARENT
    : marked !== null && isMostlyProse(marked)
      ? LEAST_MARKED_PROSE
      : LEAST_MARKED
  const scope =
    marked !== null && valueOf(marked) >= Math.max(FEW_CHARACTERS, least * valueOf(body))
      ? marked
      : body
  const core = yield* coreOf(scope, weights, valueOf, page.budget)
  const isArticle = isProse && core.prose >= ARTICLE_SHARE * body.prose
  const content = core === body ? { root: body, heading: null } : withTitle(core, scope, isArticle)
  yield* leaveOutWithin(
    content.root,
    weights,
    { ofForum, ofArticle: isArticle && kind.isArticle },
    page.budget,
  )
  yield
  yield* leaveOutRepeated(content.root, weights, page.budget)
  return {
    root: content.root.element,
    size: body.text + body.linked,
    heading: (content.heading ?? (isArticle ? titleWithin(core, weights) : null))?.element ?? null,
    keeps: (element) =>
      element === content.root.element || weightOf(weights, element)?.isOut !== true,
  }

  /** Widens the content to the title above it, or to the beginning of what the page marks. */
  function withTitle(
    inner: Weight,
    outer: Weight,
    ofArticle: boolean,
  ): { readonly root: Weight; readonly heading: Weight | null } {
    const title = titleAbove(inner, weights)
    const from = title ?? (outer === body ? null : outer)
    if (from === null || from === inner) return { root: inner, heading: null }
    const start = indexOf(from)
    let top = inner
    while (indexOf(top) > start && top.parent !== null) top = top.parent
    const beside: Weight[] = []
    let between = 0
    for (let level = inner; level !== top && level.parent !== null; level = level.parent)
      for (const child of level.parent.element.children) {
        const weight = weightOf(weights, child)
        if (weight === null || weight === level) continue
        const index = indexOf(weight)
        if (index > indexOf(level)) {
          if (!isFurther(weight, inner)) beside.push(weight)
        } else if (index <= start && start <= (weight.element.endIndex ?? index))
          beside.push(...before(from, weight))
        else if (index < start) beside.push(weight)
        else if (!weight.isOut) between += valueOf(weight)
      }
    if (between > valueOf(inner)) return { root: inner, heading: null }
    for (const weight of beside) weight.isOut = true
    if (ofArticle) leaveOutShortLines(from, inner)
    return { root: top, heading: title }
  }

  /** The nodes before an element, up to an element around it. */
  function before(inner: Weight, outer: Weight): Weight[] {
    const earlier: Weight[] = []
    for (let level = inner; level !== outer && level.parent !== null; level = level.parent)
      for (let previous = level.element.prev; previous !== null; previous = previous.prev) {
        const weight = weightOf(weights, previous)
        if (weight !== null) earlier.push(weight)
      }
    return earlier
  }

  function isFurther(weight: Weight, inner: Weight): boolean {
    return (
      valueOf(weight) >= LEAST_FURTHER * valueOf(inner) &&
      valueOf(weight) >= MOSTLY_PROSE * (weight.text + weight.linked)
    )
  }

  function leaveOutShortLines(from: Weight, inner: Weight): void {
    const end = indexOf(inner)
    for (let index = indexOf(from) + 1; index < end; index++) {
      const weight = weights[index]
      if (weight === undefined) continue
      const { name, endIndex } = weight.element
      const last = endIndex ?? index
      if (weight.isOut || name === 'table') index = last
      else if (last >= end || !BLOCK.has(name) || /^h[1-6]$/.test(name)) continue
      else if (
        name === 'figure' ||
        (!weight.hasBlocks && weight.run < SHORT_LINE && weight.run + weight.runLinked > 0)
      ) {
        weight.isOut = true
        index = last
      }
    }
  }
}

function isMostlyProse({ prose, text, linked }: Weight): boolean {
  return prose >= MOSTLY_PROSE * (text + linked)
}

function indexOf({ element }: Weight): number {
  return element.startIndex ?? 0
}

/** Goes down while one child has most of the content. */
function* coreOf(
  scope: Weight,
  weights: readonly Weight[],
  valueOf: (weight: Weight) => number,
  budget: PageBudget,
): Parts<Weight> {
  const pass = new QuickPass(budget)
  let core = scope
  for (;;) {
    let heaviest: Weight | null = null
    for (const child of core.element.children) {
      if (pass.ends()) yield
      const weight = weightOf(weights, child)
      if (weight === null || weight.isOut) continue
      if (heaviest === null || valueOf(weight) > valueOf(heaviest)) heaviest = weight
    }
    if (
      heaviest === null ||
      valueOf(core) < FEW_CHARACTERS ||
      valueOf(heaviest) < MOST_OF_PARENT * valueOf(core) ||
      heaviest.text < LEAST_TEXT * core.text ||
      !BLOCK.has(heaviest.element.name) ||
      PROSE_PART.test(heaviest.element.name)
    )
      return core
    core = heaviest
  }
}

/** An unclosed heading contains the rest of a page, so it is not a title. */
function isTitle({ element, text, linked }: Weight): boolean {
  return element.name === 'h1' && text + linked > 0 && text + linked <= LONGEST_TITLE
}

/** Returns the last `h1` before the content. */
function titleAbove(content: Weight, weights: readonly Weight[]): Weight | null {
  for (let index = indexOf(content) - 1; index >= 0; index--) {
    const weight = weights[index]
    if (weight === undefined || weight.isOut || !isTitle(weight)) continue
    for (let above = weight.parent; above !== null; above = above.parent)
      if (above.isOut) return null
    return weight
  }
  return null
}

/** Returns the first `h1` of the content if no prose comes before it. */
function titleWithin(content: Weight, weights: readonly Weight[]): Weight | null {
  const last = content.element.endIndex ?? -1
  for (let index = indexOf(content) + 1; index <= last; index++) {
    const weight = weights[index]
    if (weight === undefined) continue
    if (weight.isOut) index = weight.element.endIndex ?? index
    else if (isTitle(weight)) return weight
    else if (!weight.hasBlocks && weight.prose > 0) return null
  }
  return null
}

/** Returns what the page marks as its content: an article's body, a single article, a main part. */
function* markedContent(
  weights: readonly Weight[],
  valueOf: (weight: Weight) => number,
  budget: PageBudget,
): Parts<Weight | null> {
  const bodies: Weight[] = []
  const articles: Weight[] = []
  let main: Weight | null = null
  const pass = new QuickPass(budget)
  for (const weight of weights) {
    if (pass.ends()) yield
    const { name, attribs } = weight.element
    if (attribs['itemprop'] === 'articleBody') bodies.push(weight)
    if (name === 'article') articles.push(weight)
    if (main === null && (name === 'main' || attribs['role'] === 'main')) main = weight
  }
  if (bodies.length === 1) return bodies[0] ?? null
  const [first, second] = articles.toSorted((a, b) => valueOf(b) - valueOf(a))
  if (first !== undefined && (second === undefined || valueOf(first) > 3 * valueOf(second)))
    return first
  return main
}
