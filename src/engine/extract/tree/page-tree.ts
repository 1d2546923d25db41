import { isTag, isText, type ChildNode, type Element } from 'domhandler'
import { TextParts } from '../../../kernel/text/text-parts.ts'
import { QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { numberElements, PART, treeParts, type Tree } from './parse-tree.ts'
import { textOf } from './text-content.ts'

/** A shorter `<noscript>` asks for scripts, or loads a picture. */
const SHORTEST_NOSCRIPT = 2_000
/** A `<noscript>` is the page if it has this many times the text beside it. */
const TIMES_SHOWN = 2
/** Limits of a tree that combines two trees. */
const MOST_LEVELS = 500
const MOST_ELEMENTS = 500_000

/**
 * Parses a page as a browser with scripts does. Some pages hold their content twice: for their
 * scripts as data, and for readers without scripts in a `<noscript>`. If such a page shows little
 * else, it is read as by a browser without scripts: the longest `<noscript>` becomes a `<div>`.
 *
 * @throws {PageTooCostly}
 */
export function* pageTreeParts(source: TextParts, budget: PageBudget): Parts<Tree> {
  const tree = yield* treeParts(source.divided(PART), false, budget)
  yield
  const noscript = yield* longestNoscript(tree, budget)
  const hidden = noscript === null ? '' : hiddenIn(noscript)
  if (noscript === null || hidden.length < SHORTEST_NOSCRIPT || tree.root === null) return tree
  yield
  const inner = yield* treeParts(new TextParts([hidden]).divided(PART), false, budget)
  if (inner.root === null) return tree
  yield
  const shown = textOf(tree.root, budget).length
  yield
  const levels = levelsOf(inner, budget) + levelsAbove(noscript)
  if (
    textOf(inner.root, budget).length <= TIMES_SHOWN * shown ||
    levels > MOST_LEVELS ||
    inner.elements.length + tree.elements.length > MOST_ELEMENTS
  )
    return tree
  return withContent(tree, noscript, inner.root, budget)
}

/** The tree, with the content of another page in one of its elements. */
function withContent(tree: Tree, element: Element, page: Element, budget: PageBudget): Tree {
  const { document } = tree
  const nodes = page.children.filter(isTag).flatMap(({ children }) => children)
  element.name = 'div'
  element.children = nodes
  let before: ChildNode | null = null
  for (const node of nodes) {
    node.parent = element
    node.prev = before
    node.next = null
    if (before !== null) before.next = node
    before = node
  }
  const elements = numberElements(document)
  budget.work(4 * elements.length)
  return { ...tree, elements }
}

function* longestNoscript({ elements }: Tree, budget: PageBudget): Parts<Element | null> {
  let longest: Element | null = null
  let most = 0
  const pass = new QuickPass(budget, 2)
  for (const element of elements) {
    if (pass.ends()) yield
    if (element.name !== 'noscript') continue
    const { length } = hiddenIn(element)
    if (length > most) [longest, most] = [element, length]
  }
  return longest
}

function hiddenIn({ children: [first] }: Element): string {
  return first !== undefined && isText(first) ? first.data : ''
}

/** The depth of elements in a tree, from the index of each element's last descendant. */
function levelsOf({ elements }: Tree, budget: PageBudget): number {
  budget.work(elements.length)
  const ends: number[] = []
  let most = 0
  for (const [index, { endIndex }] of elements.entries()) {
    while ((ends.at(-1) ?? Infinity) < index) ends.pop()
    most = Math.max(most, ends.push(endIndex ?? index))
  }
  return most
}

function levelsAbove(element: Element): number {
  let levels = 0
  for (let { parent } = element; parent !== null; parent = parent.parent) levels++
  return levels
}

/** The language of a root element, which XHTML writes with a prefix. Empty: it has none. */
export function languageOf(root: Element | null | undefined): string {
  const { lang, 'xml:lang': prefixed = '' } = root?.attribs ?? {}
  return (lang ?? prefixed).trim()
}
