import { Document, Element, type Node } from 'domhandler'
import { parse, type TreeAdapter } from 'parse5'
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter'

/**
 * The tree that a browser makes of a page, by parse5. It reads the content of a select as the
 * standard did until 2025.
 */
export function parseAsBrowser(text: string): Document {
  const contents = new WeakMap<Node, Document>()
  const bare: TreeAdapter<Htmlparser2TreeAdapterMap> = {
    ...adapter,
    createElement(name, namespace, attributes) {
      const attribs: Record<string, string> = {}
      for (const { prefix, name: own, value } of attributes)
        attribs[(prefix ? `${prefix}:${own}` : own).toLowerCase()] = value
      const element = new Element(namespace.endsWith('/svg') ? name.toLowerCase() : name, attribs)
      element.namespace = namespace
      return element
    },
    // No selector reaches the content of a template in a browser.
    setTemplateContent(template, content) {
      contents.set(template, content)
    },
    getTemplateContent: (template) => contents.get(template) ?? new Document([]),
    adoptAttributes(element, attributes) {
      for (const { name, value } of attributes)
        if (!Object.hasOwn(element.attribs, name)) element.attribs[name] = value
    },
  }
  return parse<Htmlparser2TreeAdapterMap>(text, { treeAdapter: bare, scriptingEnabled: true })
}
