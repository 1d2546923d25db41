import { GrowingText, replaceEach } from '../../../kernel/text/long-text.ts'
import { isTag, isText, type ChildNode, type Element, type ParentNode, type Text } from 'domhandler'
import type { Parts } from '../page/in-turns.ts'
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

/** White space that is not a single space. */
const SPACES = /[^\S ]\s*| \s+/g

/** Replaces every run of white space (Unicode's, so also no-break spaces) with one space, and trims. */
export function collapse(text: string): string {
  if (isTidy(text)) return text
  // Most of the other texts have white space only at their ends.
  const trimmed = text.trim()
  return isTidy(trimmed) ? trimmed : replaceEach(trimmed, SPACES, ' ')
}

/** Characters that are collapsed in one part, and the steps for each of them. */
const COLLAPSED = 200_000
const COLLAPSE_STEPS = 0.5

/** The white space before a word. */
const BEFORE_WORD = /\s(?=\S)/g

/** Like {@link collapse} in parts, each of which ends before a word. */
export function* collapseParts(text: string, budget: PageBudget): Parts<string> {
  if (text.length <= COLLAPSED) return collapse(text)
  const trimmed = text.trim()
  const pieces: string[] = []
  for (let start = 0; start < trimmed.length;) {
    BEFORE_WORD.lastIndex = start + COLLAPSED
    const end = BEFORE_WORD.test(trimmed) ? BEFORE_WORD.lastIndex : trimmed.length
    pieces.push(collapse(trimmed.slice(start, end)))
    budget.unpaid(COLLAPSE_STEPS * (end - start))
    yield
    start = end
  }
  return pieces.join(' ')
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

/** Like {@link textOf} in parts. */
export function* textParts(node: ParentNode, budget: PageBudget): Parts<string> {
  const only = node.children.length === 1 ? node.children[0] : undefined
  if (only === undefined || !isText(only))
    return yield* collapseParts(yield* readableParts(node, ' ', budget), budget)
  budget.work(1 + (only.data.length >> 2))
  return yield* collapseParts(only.data, budget)
}

/**
 * Returns the first `length` characters of {@link textOf}, enough to judge a long text. Elements may
 * be nested, so reading each in full would take the square of a page. `length` limits the work of
 * one call.
 */
export function textStart(node: ParentNode, length: number, budget: PageBudget): string {
  const only = onlyText(node)
  if (only !== null) {
    const text = only.data.slice(0, 1_000 + 20 * length)
    budget.work(3 + (text.length >> 2))
    return collapse(text).slice(0, length)
  }
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

/** True if all texts below a node have so many characters together. */
export function hasLongText(node: ParentNode, characters: number): boolean {
  let left = characters
  walk(
    node,
    (child) => {
      if (isText(child)) left -= child.data.length
      return left > 0 ? true : null
    },
    () => {},
  )
  return left <= 0
}

/** The levels that {@link onlyText} looks at. */
const ONLY_LEVELS = 4

/** Returns the text of a node that holds nothing else, as most links and cells do, or `null`. */
function onlyText(node: ParentNode): Text | null {
  let holder = node
  for (let level = 0; level < ONLY_LEVELS; level++) {
    const only = holder.children.length === 1 ? holder.children[0] : undefined
    if (only === undefined) return null
    if (isText(only)) return only
    if (!isTag(only) || SILENT.has(only.name)) return null
    holder = only
  }
  return null
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
  const reading = textReading(separator, budget, keep)
  walk(node, reading.enter, reading.leave)
  return reading.end()
}

/** Like {@link readableText} in parts. */
export function* readableParts(
  node: ParentNode,
  separator: string,
  budget: PageBudget,
  keep?: (element: Element) => boolean,
): Parts<string> {
  const reading = textReading(separator, budget, keep)
  for (const _ of walkParts(node, reading.enter, reading.leave)) {
    reading.pay()
    yield
  }
  return reading.end()
}

/** Reads the text of the nodes of a walk. */
function textReading(
  separator: string,
  budget: PageBudget,
  keep: ((element: Element) => boolean) | undefined,
) {
  const text = new GrowingText()
  let nodes = 0
  let paid = 0
  const pay = (): void => {
    const due = 1 + 2 * nodes + (text.length >> 2)
    budget.work(due - paid)
    paid = due
  }
  return {
    enter(child: ChildNode): boolean {
      nodes++
      if (isText(child)) text.add(child.data)
      else if (isTag(child)) {
        if (SILENT.has(child.name) || keep?.(child) === false) return false
        if (BLOCK.has(child.name)) text.add(separator)
      }
      return true
    },
    leave(child: ChildNode): void {
      if (isTag(child) && BLOCK.has(child.name)) text.add(separator)
    },
    pay,
    end(): string {
      pay()
      return text.toString()
    },
  }
}

/** Returns all text below a node unchanged, scripts included. */
export function rawText(node: ParentNode, budget: PageBudget): string {
  const reading = rawReading(budget)
  walk(node, reading.enter, () => {})
  return reading.end()
}

/** Like {@link rawText} in parts. */
export function* rawParts(node: ParentNode, budget: PageBudget): Parts<string> {
  const reading = rawReading(budget)
  for (const _ of walkParts(node, reading.enter, () => {})) {
    reading.pay()
    yield
  }
  return reading.end()
}

function rawReading(budget: PageBudget) {
  const text = new GrowingText()
  let nodes = 0
  let paid = 0
  const pay = (): void => {
    const due = 1 + 2 * nodes + (text.length >> 3)
    budget.work(due - paid)
    paid = due
  }
  return {
    enter(child: ChildNode): boolean {
      nodes++
      if (isText(child)) text.add(child.data)
      return true
    },
    pay,
    end(): string {
      pay()
      return text.toString()
    },
  }
}

/** Visits a node: false to skip what is below, `null` to end the walk. */
type Enter = (node: ChildNode) => boolean | null

/** The position of a walk. `null`: its end. */
interface WalkPosition {
  node: ChildNode | null
  depth: number
}

/** Nodes of a part of a walk. */
const WALKED = 500
/** More nodes than a tree has. It is a small integer, which engines count fastest. */
const MOST_NODES = 2 ** 30

/**
 * Visits a node's descendants in document order without recursion. `enter` returns false to skip a
 * subtree and `null` to end the walk. `leave` is called for entered nodes with children.
 */
export function walk(root: ParentNode, enter: Enter, leave: (node: ChildNode) => void): void {
  walkOn({ node: root.firstChild, depth: 0 }, enter, leave, MOST_NODES)
}

/** Like {@link walk} in parts. */
export function* walkParts(
  root: ParentNode,
  enter: Enter,
  leave: (node: ChildNode) => void,
): Parts<void> {
  const position = { node: root.firstChild, depth: 0 }
  for (;;) {
    walkOn(position, enter, leave, WALKED)
    if (position.node === null) return
    yield
  }
}

/** Visits at most some further nodes. */
function walkOn(
  position: WalkPosition,
  enter: Enter,
  leave: (node: ChildNode) => void,
  most: number,
): void {
  let { node, depth } = position
  for (let left = most; node !== null && left > 0; left--) {
    const enters = enter(node)
    if (enters === null) {
      node = null
      break
    }
    const first: ChildNode | null = enters && 'children' in node ? (node.children[0] ?? null) : null
    if (first !== null) {
      node = first
      depth++
      continue
    }
    while (node !== null && node.next === null) {
      if (depth-- === 0) {
        position.node = null
        return
      }
      // A parent below the root has a parent itself, so it is a child node.
      const parent: ParentNode | null = node.parent
      node = parent !== null && 'next' in parent ? parent : null
      if (node !== null) leave(node)
    }
    node = node?.next ?? null
  }
  position.node = node
  position.depth = depth
}
