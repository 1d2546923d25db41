import { Document, Element, isTag, type Node, type ParentNode } from 'domhandler'
import { parse, type TreeAdapter } from 'parse5'
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter'

/**
 * Maximum number of elements per character of the page, far above any real page. Misplaced tags can
 * create the square of their number.
 */
const ELEMENTS_PER_CHARACTER = 0.25
const ELEMENTS_ALWAYS = 2_000
/** Longer pages are not parsed this way. */
const MAX_LENGTH = 2_000_000
/** Maximum depth of a page. The parser's own stack would grow with each level. */
const MAX_DEPTH = 520

class TooMuch extends Error {}

/**
 * Parses any page as browsers do, at about four times the work. Returns `null` if that would be too
 * much.
 */
export function parseAsBrowser(text: string): Document | null {
  if (text.length > MAX_LENGTH) return null
  let left = ELEMENTS_ALWAYS + text.length * ELEMENTS_PER_CHARACTER
  const contents = new WeakMap<Node, Document>()
  const bounded: TreeAdapter<Htmlparser2TreeAdapterMap> = {
    ...adapter,
    createElement(name, namespace, attributes) {
      if (left-- <= 0) throw new TooMuch()
      const attribs: Record<string, string> = {}
      for (const attribute of attributes)
        attribs[
          (attribute.prefix
            ? `${attribute.prefix}:${attribute.name}`
            : attribute.name
          ).toLowerCase()
        ] = attribute.value
      const element = new Element(namespace.endsWith('/svg') ? name.toLowerCase() : name, attribs)
      element.namespace = namespace
      return element
    },
    // Template content is kept out of the tree: no selector reaches it in a browser.
    setTemplateContent(template, content) {
      contents.set(template, content)
    },
    getTemplateContent: (template) => contents.get(template) ?? new Document([]),
    appendChild(parent, node) {
      deepen(parent, node)
      adapter.appendChild(parent, node)
    },
    insertBefore(parent, node, reference) {
      deepen(parent, node)
      adapter.insertBefore(parent, node, reference)
    },
    adoptAttributes(element, attributes) {
      for (const { name, value } of attributes)
        if (!Object.hasOwn(element.attribs, name)) element.attribs[name] = value
    },
  }
  try {
    const document = parse<Htmlparser2TreeAdapterMap>(text, {
      treeAdapter: bounded,
      scriptingEnabled: true,
    })
    return isTooDeep(document) ? null : document
  } catch (error) {
    if (error instanceof TooMuch) return null
    throw error
  }
}

/** Until the elements are numbered, an element's `startIndex` holds its depth. */
function deepen(parent: ParentNode, node: Node): void {
  if (!isTag(node)) return
  node.startIndex = (isTag(parent) ? (parent.startIndex ?? 0) : 0) + 1
  if (node.startIndex > MAX_DEPTH) throw new TooMuch()
}

function isTooDeep(root: ParentNode): boolean {
  let level: ParentNode[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((node) => node.children.filter((child) => 'children' in child))
  }
  return false
}
