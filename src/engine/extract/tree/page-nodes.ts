import { Element, Text, type ChildNode, type ParentNode } from 'domhandler'

const { type: TAG } = new Element('div', {})
const { type: SCRIPT } = new Element('script', {})
const { type: STYLE } = new Element('style', {})
const { type: TEXT } = new Text('')

/**
 * An element of a page. It is domhandler's, made in one step: the constructors there write each
 * property twice, and have three more properties, which only parse5 uses.
 */
export class PageElement implements Element {
  declare parent: ParentNode | null
  declare prev: ChildNode | null
  declare next: ChildNode | null
  declare startIndex: number | null
  declare endIndex: number | null
  declare children: ChildNode[]
  declare name: string
  declare attribs: Element['attribs']
  declare type: Element['type']

  // These are in the prototype.
  declare readonly nodeType: 1
  declare tagName: string
  declare readonly attributes: Element['attributes']
  declare readonly firstChild: ChildNode | null
  declare readonly lastChild: ChildNode | null
  declare childNodes: ChildNode[]
  declare parentNode: ParentNode | null
  declare previousSibling: ChildNode | null
  declare nextSibling: ChildNode | null
  declare cloneNode: Element['cloneNode']

  constructor(name: string, attribs: Element['attribs'], children: ChildNode[], index: number) {
    this.parent = null
    this.prev = null
    this.next = null
    this.startIndex = index
    this.endIndex = index
    this.children = children
    this.name = name
    this.attribs = attribs
    this.type = name === 'script' ? SCRIPT : name === 'style' ? STYLE : TAG
  }
}

/** A text of a page, made in one step as {@link PageElement} is. It has no index. */
export class PageTextNode implements Text {
  declare parent: ParentNode | null
  declare prev: ChildNode | null
  declare next: ChildNode | null
  declare data: string
  declare type: Text['type']

  // These are in the prototype.
  declare startIndex: number | null
  declare endIndex: number | null
  declare readonly nodeType: 3
  declare nodeValue: string
  declare parentNode: ParentNode | null
  declare previousSibling: ChildNode | null
  declare nextSibling: ChildNode | null
  declare cloneNode: Text['cloneNode']

  constructor(data: string) {
    this.parent = null
    this.prev = null
    this.next = null
    this.data = data
    this.type = TEXT
  }
}

Object.setPrototypeOf(PageElement.prototype, Element.prototype)
Object.setPrototypeOf(PageTextNode.prototype, Text.prototype)
PageTextNode.prototype.startIndex = null
PageTextNode.prototype.endIndex = null

/**
 * Appends a node that has no siblings to the children of another. Most elements have few of them.
 * Array literals of these are smaller: a list that is pushed to gets room for seventeen.
 */
export function appendTo(parent: ParentNode, node: ChildNode): void {
  const { children } = parent
  const last = lastOf(children)
  if (last === undefined) {
    parent.children = [node]
    return
  }
  node.prev = last
  last.next = node
  if (children.length > 2) children.push(node)
  else parent.children = children.length === 1 ? [last, node] : [children[0] ?? last, last, node]
}

/** An engine takes many times as long for the index -1 as for one of the list. */
export function lastOf<T>(list: readonly T[]): T | undefined {
  const { length } = list
  return length === 0 ? undefined : list[length - 1]
}
