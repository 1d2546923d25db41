import { GrowingText, replaceEach } from '../../../kernel/text/long-text.ts'
import { isTag, isText, type ChildNode, type Element, type ParentNode } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'

/** Elements whose text is not visible. */
export const SILENT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'iframe',
  'noembed',
  'noframes',
  'object',
  'svg',
  'datalist',
])

/** Elements that begin and end a line. */
export const BLOCK: ReadonlySet<string> = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'body',
  'caption',
  'center',
  'dd',
  'details',
  'dialog',
  'dir',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hgroup',
  'hr',
  'html',
  'legend',
  'li',
  'main',
  'menu',
  'nav',
  'ol',
  'optgroup',
  'option',
  'p',
  'pre',
  'search',
  'section',
  'summary',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
  'ul',
  'br',
])

/** White space that is not one space already. */
const SPACES = /[^\S ]\s*| \s+/g

/** Replaces every run of white space (Unicode's, so also no-break spaces) with one space, and trims. */
export function collapse(text: string): string {
  if (isTidy(text)) return text
  // Most of the other texts have white space only at their ends.
  const trimmed = text.trim()
  return isTidy(trimmed) ? trimmed : replaceEach(trimmed, SPACES, ' ')
}

/** True for Unicode white space beyond Latin. Its range also contains quotation marks and dashes. */
function isWideSpace(code: number): boolean {
  return (
    code === 0x1680 ||
    (code >= 0x2000 &&
      (code <= 0x200a ||
        code === 0x2028 ||
        code === 0x2029 ||
        code === 0x202f ||
        code === 0x205f ||
        code === 0x3000))
  )
}

// Most texts are unchanged, and checking each character is faster than any pattern.
function isTidy(text: string): boolean {
  let spaced = true
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === 0x20) {
      if (spaced) return false
      spaced = true
    } else if (
      code < 0x20 ||
      code === 0xa0 ||
      code === 0xfeff ||
      (code >= 0x1680 && isWideSpace(code))
    )
      return false
    else spaced = false
  }
  return !spaced || text === ''
}

/**
 * Returns an element's visible text on one line. Words of neighbouring blocks and cells stay apart.
 * Scripts and styles are left out.
 */
export function textOf(node: ParentNode, budget: PageBudget): string {
  const only = node.children.length === 1 ? node.children[0] : undefined
  if (only === undefined || !isText(only)) return collapse(readableText(node, ' ', budget))
  budget.work(1 + (only.data.length >> 2))
  return collapse(only.data)
}

/**
 * Returns the first `length` characters of {@link textOf}, enough to judge a long text. Elements may
 * be nested, so reading each in full would take the square of a page. `length` limits the work of
 * one call.
 */
export function textStart(node: ParentNode, length: number, budget: PageBudget): string {
  let text = ''
  let nodes = 100 + 10 * length
  // Most of the text may be white space.
  let left = 1_000 + 20 * length
  walk(
    node,
    (child) => {
      if (nodes-- <= 0 || left <= 0) return null
      if (isText(child)) {
        text += child.data.slice(0, left)
        left -= child.data.length
      } else if (isTag(child)) {
        if (SILENT.has(child.name)) return false
        if (BLOCK.has(child.name)) text += ' '
      }
      return true
    },
    (child) => {
      if (isTag(child) && BLOCK.has(child.name)) text += ' '
    },
  )
  budget.work(1 + 2 * (100 + 10 * length - nodes) + (text.length >> 2))
  return collapse(text).slice(0, length)
}

/**
 * Returns the text like {@link textOf} before white space is collapsed, with `separator` at block
 * borders. `keep` can leave elements out.
 */
export function readableText(
  node: ParentNode,
  separator: string,
  budget: PageBudget,
  keep?: (element: Element) => boolean,
): string {
  const text = new GrowingText()
  let nodes = 0
  walk(
    node,
    (child) => {
      nodes++
      if (isText(child)) text.add(child.data)
      else if (isTag(child)) {
        if (SILENT.has(child.name) || keep?.(child) === false) return false
        if (BLOCK.has(child.name)) text.add(separator)
      }
      return true
    },
    (child) => {
      if (isTag(child) && BLOCK.has(child.name)) text.add(separator)
    },
  )
  budget.work(1 + 2 * nodes + (text.length >> 2))
  return text.toString()
}

/** Returns all text below a node unchanged, scripts included. */
export function rawText(node: ParentNode, budget: PageBudget): string {
  const text = new GrowingText()
  let nodes = 0
  walk(
    node,
    (child) => {
      nodes++
      if (isText(child)) text.add(child.data)
      return true
    },
    () => {},
  )
  budget.work(1 + 2 * nodes + (text.length >> 3))
  return text.toString()
}

/**
 * Visits a node's descendants in document order without recursion. `enter` returns false to skip a
 * subtree and `null` to end the walk. `leave` is called for entered nodes with children.
 */
export function walk(
  root: ParentNode,
  enter: (node: ChildNode) => boolean | null,
  leave: (node: ChildNode) => void,
): void {
  let node: ChildNode | null = root.firstChild
  let depth = 0
  while (node !== null) {
    const enters = enter(node)
    if (enters === null) return
    const first: ChildNode | null = enters && 'children' in node ? (node.children[0] ?? null) : null
    if (first !== null) {
      node = first
      depth++
      continue
    }
    while (node !== null && node.next === null) {
      if (depth-- === 0) return
      // A parent below the root has a parent itself, so it is a child node.
      const parent: ParentNode | null = node.parent
      node = parent !== null && 'next' in parent ? parent : null
      if (node !== null) leave(node)
    }
    node = node?.next ?? null
  }
}
