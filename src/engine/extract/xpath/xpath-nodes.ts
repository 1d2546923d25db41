import { isTag, isText, type ChildNode, type Document, type Element, type Text } from 'domhandler'
import type { Tree } from '../tree/parse-tree.ts'
import { rawText, rawParts } from '../tree/text-content.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { Axis, NodeTest } from './xpath-parts.ts'

/**
 * An attribute as a node. Each attribute has one node object, so that it can be compared by
 * identity.
 */
export interface AttributeNode {
  readonly attribute: string
  readonly value: string
  readonly owner: Element
  /** Its position among the attributes of its element, from 0. */
  readonly index: number
}

/** A node that a path can select. */
export type XPathNode = Document | Element | Text | AttributeNode

/** True for elements and the document, which have children. */
export function isParent(node: XPathNode): node is Document | Element {
  return 'children' in node
}

/** True for elements, false for the document. */
export function isElement(node: Document | Element): node is Element {
  return isTag(node)
}

export function isAttribute(node: XPathNode): node is AttributeNode {
  return 'attribute' in node
}

/** Steps to read the text below a node, for each element. */
const BELOW_STEPS = 4
/** The text of a node with more elements is read in parts. */
const LARGE = 2_000

/** Returns a node's text: all text below it, scripts included. */
export function stringOf(node: XPathNode, budget: PageBudget): string {
  // The work is paid for before it is done, because visiting nodes takes more time than reading
  // their text.
  if (isParent(node)) budget.work(BELOW_STEPS * sizeOf(node))
  const text = isParent(node) ? rawText(node, budget) : isAttribute(node) ? node.value : node.data
  budget.work(1 + (text.length >> 3))
  return text
}

/** Like {@link stringOf} in parts. */
export function* stringParts(node: XPathNode, budget: PageBudget): Parts<string> {
  if (!isParent(node) || (isElement(node) && sizeOf(node) < LARGE)) return stringOf(node, budget)
  const steps = BELOW_STEPS * sizeOf(node)
  budget.workAhead(steps)
  const text = yield* rawParts(node, budget)
  budget.did(steps)
  budget.work(1 + (text.length >> 3))
  return text
}

/** The elements below a node with itself; of the document, its children. */
function sizeOf(node: Document | Element): number {
  return isElement(node) ? (node.endIndex ?? 0) - (node.startIndex ?? 0) + 1 : node.children.length
}

/** Returns a node's name; empty for text. */
export function nameOf(node: XPathNode): string {
  return isAttribute(node) ? node.attribute : 'name' in node && isTag(node) ? node.name : ''
}

/** Returns the node above; `null` for the document. */
export function parentOf(node: XPathNode, tree: Tree): Document | Element | null {
  if (isAttribute(node)) return node.owner
  const { parent } = node
  if (parent === null) return null
  return isTag(parent) ? parent : tree.document
}

const CAPITAL = /[A-Z]/
const CAPITALS = /[A-Z]+/g

/** Takes a node that was come to. True: no more are needed. */
type Take = (node: XPathNode) => boolean

/** Axes with few nodes: a tree has 500 levels at most, and an element 1,000 attributes. */
const NEAR: ReadonlySet<Axis> = new Set<Axis>([
  'self',
  'parent',
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'namespace',
])

/** Steps for a node of an axis, and to walk to the next node of a tree. */
const NEAR_STEPS = 2
const WALK_STEPS = 1
/** Visiting all siblings or ancestors of each of many nodes can take the square of a page. */
const FAR_STEPS = 8
const VISIT_STEPS: { readonly [axis in Axis]?: number } = {
  ancestor: FAR_STEPS,
  'ancestor-or-self': FAR_STEPS,
  following: FAR_STEPS,
  'following-sibling': FAR_STEPS,
  preceding: FAR_STEPS,
  'preceding-sibling': FAR_STEPS,
}
/** Steps and bytes for an attribute as a node, and bytes for the list of an element's attributes. */
const ATTRIBUTE_STEPS = 4
const ATTRIBUTE_BYTES = 24
const LISTED_BYTES = 24
/** A list of more nodes than this has memory of its own, which takes most of its time. */
const LONG_LIST = 8_192
const LONG_STEPS = 4

/** Steps for a list of so many nodes, besides those to visit them. */
export function longListSteps(length: number): number {
  return length > LONG_LIST ? LONG_STEPS * length : 0
}

/** The nodes of one tree, by axis. */
export class TreeNodes {
  readonly tree: Tree
  readonly #budget: PageBudget
  readonly #attributes: Map<Element, readonly AttributeNode[]>

  /** `attributes`: the attributes of a page's elements as nodes, for all its XPaths. */
  constructor(tree: Tree, budget: PageBudget, attributes: Map<Element, readonly AttributeNode[]>) {
    this.tree = tree
    this.#budget = budget
    this.#attributes = attributes
  }

  /** Returns the nodes of an axis that pass the test, in the axis's order. */
  along(node: XPathNode, axis: Axis, test: NodeTest): XPathNode[] {
    const nodes: XPathNode[] = []
    this.visit(node, axis, test, (match) => {
      nodes.push(match)
      return false
    })
    this.#budget.work(longListSteps(nodes.length))
    return nodes
  }

  /** Gives the nodes of an axis that pass the test, in the axis's order, until one is enough. */
  visit(node: XPathNode, axis: Axis, test: NodeTest, take: Take): void {
    if (test.kind === 'none') return
    if (axis === 'attribute') {
      if (test.kind !== 'text' && isParent(node) && isElement(node))
        this.#visitAttributes(node, test, take)
      return
    }
    const cost = VISIT_STEPS[axis] ?? NEAR_STEPS
    const passes = this.#testerOf(test)
    this.#visit(node, axis, test, (candidate) => {
      this.#budget.work(cost)
      return passes(candidate) && take(candidate)
    })
  }

  /** Like {@link along} in parts. */
  *alongParts(node: XPathNode, axis: Axis, test: NodeTest): Parts<XPathNode[]> {
    const nodes: XPathNode[] = []
    yield* this.visitParts(node, axis, test, (match) => {
      nodes.push(match)
      return false
    })
    this.#budget.work(longListSteps(nodes.length))
    return nodes
  }

  /** Like {@link visit} in parts. */
  *visitParts(node: XPathNode, axis: Axis, test: NodeTest, take: Take): Parts<void> {
    if (NEAR.has(axis) || test.kind === 'none') return this.visit(node, axis, test, take)
    const cost = VISIT_STEPS[axis] ?? NEAR_STEPS
    const passes = this.#testerOf(test)
    const pass = new StepParts(this.#budget)
    for (const candidate of this.#each(node, axis, test)) {
      if (pass.ends()) yield
      this.#budget.work(cost)
      if (passes(candidate) && take(candidate)) return
    }
  }

  /** Returns the attributes of an element as nodes. Namespace declarations are not among them. */
  attributesOf(element: Element): readonly AttributeNode[] {
    const cached = this.#attributes.get(element)
    if (cached !== undefined) return cached
    const nodes = Object.entries(element.attribs)
      .filter(([attribute]) => !this.tree.xml || !/^xmlns(?:$|:)/.test(attribute))
      .map(([attribute, value], index) => ({ attribute, value, owner: element, index }))
    this.#budget.work(ATTRIBUTE_STEPS * nodes.length)
    if (nodes.length === 0) return nodes
    // Attributes stay nodes until all XPaths of the page are read.
    this.#budget.make(LISTED_BYTES + ATTRIBUTE_BYTES * nodes.length)
    this.#attributes.set(element, nodes)
    return nodes
  }

  #visitAttributes(element: Element, test: NodeTest, take: Take): void {
    const isNamed = this.#nameTester(test)
    for (const attribute of this.attributesOf(element)) {
      this.#budget.work(NEAR_STEPS)
      if (isNamed(attribute.attribute) && take(attribute)) return
    }
  }

  #testerOf(test: NodeTest): (candidate: XPathNode) => boolean {
    if (test.kind === 'node') return () => true
    if (test.kind === 'text') return (candidate) => !isParent(candidate) && !isAttribute(candidate)
    const isNamed = this.#nameTester(test)
    return (candidate) => isParent(candidate) && isElement(candidate) && isNamed(candidate.name)
  }

  #nameTester(test: NodeTest): (name: string) => boolean {
    const name = test.kind === 'name' ? this.#nameOf(test.name) : null
    if (name === null) return () => true
    if (!name.endsWith(':*')) return (other) => other === name
    const prefix = name.slice(0, -1)
    return (other) => other.startsWith(prefix)
  }

  /** HTML compares names without the case of ASCII letters. */
  #nameOf(name: string | null): string | null {
    return name === null || this.tree.xml || !CAPITAL.test(name)
      ? name
      : name.replace(CAPITALS, (letters) => letters.toLowerCase())
  }

  /** Gives the nodes of an axis, until one is enough. */
  #visit(node: XPathNode, axis: Axis, test: NodeTest, take: Take): boolean {
    const hasSelf = axis === 'self' || axis === 'descendant-or-self' || axis === 'ancestor-or-self'
    if (hasSelf && take(node)) return true
    switch (axis) {
      case 'child':
        return isParent(node) && node.children.some((child) => isNode(child) && take(child))
      case 'descendant':
      case 'descendant-or-self':
        if (!isParent(node)) return false
        return test.kind === 'name' ? this.#elementsBelow(node, take) : this.#below(node, take)
      case 'parent':
      case 'ancestor':
      case 'ancestor-or-self':
        for (
          let above = parentOf(node, this.tree);
          above !== null;
          above = parentOf(above, this.tree)
        )
          if (take(above) || axis === 'parent') return true
        return false
      case 'following-sibling':
        return isChild(node) && nodesAfter(node, take)
      case 'preceding-sibling':
        return isChild(node) && nodesBefore(node, take)
      case 'following':
        if (isAttribute(node) && this.#below(node.owner, take)) return true
        return this.#lineOf(node, (ancestor) =>
          nodesAfter(
            ancestor,
            (sibling) => take(sibling) || (isParent(sibling) && this.#below(sibling, take)),
          ),
        )
      case 'preceding':
        return this.#lineOf(node, (ancestor) =>
          nodesBefore(ancestor, (sibling) => this.#backwards(sibling, take)),
        )
      default:
        return false
    }
  }

  /** The nodes of an axis that may have many, in the order of {@link #visit}. */
  *#each(node: XPathNode, axis: Axis, test: NodeTest): Generator<XPathNode, void, void> {
    switch (axis) {
      case 'child':
        if (isParent(node)) for (const child of node.children) if (isNode(child)) yield child
        break
      case 'descendant':
      case 'descendant-or-self':
        if (axis === 'descendant-or-self') yield node
        if (!isParent(node)) break
        if (test.kind === 'name') yield* this.#eachElement(node)
        else yield* this.#eachBelow(node)
        break
      case 'following-sibling':
        if (isChild(node)) yield* eachAfter(node)
        break
      case 'preceding-sibling':
        if (isChild(node)) yield* eachBefore(node)
        break
      case 'following':
        if (isAttribute(node)) yield* this.#eachBelow(node.owner)
        for (const ancestor of this.#eachOfLine(node))
          for (const sibling of eachAfter(ancestor)) {
            yield sibling
            if (isParent(sibling)) yield* this.#eachBelow(sibling)
          }
        break
      case 'preceding':
        for (const ancestor of this.#eachOfLine(node))
          for (const sibling of eachBefore(ancestor)) yield* this.#eachBackwards(sibling)
        break
      default:
    }
  }

  *#eachOfLine(node: XPathNode): Generator<Element | Text, void, void> {
    const line: (Element | Text)[] = []
    this.#lineOf(node, (ancestor) => {
      line.push(ancestor)
      return false
    })
    yield* line
  }

  *#eachElement(node: Document | Element): Generator<Element, void, void> {
    const { elements } = this.tree
    const to = isElement(node) ? (node.endIndex ?? -1) : elements.length - 1
    for (let index = isElement(node) ? (node.startIndex ?? 0) + 1 : 0; index <= to; index++) {
      const element = elements[index]
      if (element !== undefined) yield element
    }
  }

  *#eachBelow(root: Document | Element): Generator<Element | Text, void, void> {
    let node: ChildNode | null = root.firstChild
    while (node !== null) {
      this.#budget.work(WALK_STEPS)
      if (isNode(node)) yield node
      node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, root)
    }
  }

  *#eachBackwards(root: Element | Text): Generator<Element | Text, void, void> {
    let node: ChildNode = deepestLast(root)
    for (;;) {
      this.#budget.work(WALK_STEPS)
      if (isNode(node)) yield node
      if (node === root) return
      const before: ChildNode | null = node.prev
      if (before !== null) node = deepestLast(before)
      else if (node.parent !== null && isTag(node.parent)) node = node.parent
      else return
    }
  }

  /** Gives a node and its ancestors, as far as they are below the document. */
  #lineOf(node: XPathNode, take: (node: Element | Text) => boolean): boolean {
    for (
      let ancestor: XPathNode | null = isAttribute(node) ? node.owner : node;
      ancestor !== null && isChild(ancestor);
      ancestor = parentOf(ancestor, this.tree)
    )
      if (take(ancestor)) return true
    return false
  }

  /** Gives the elements below a node, a contiguous range of the tree's list. */
  #elementsBelow(node: Document | Element, take: Take): boolean {
    const { elements } = this.tree
    const isWhole = !isElement(node)
    const to = isWhole ? elements.length - 1 : (node.endIndex ?? -1)
    for (let index = isWhole ? 0 : (node.startIndex ?? 0) + 1; index <= to; index++) {
      const element = elements[index]
      if (element !== undefined && take(element)) return true
    }
    return false
  }

  /** Gives the elements and texts below a node, in document order. */
  #below(root: Document | Element, take: Take): boolean {
    let node: ChildNode | null = root.firstChild
    while (node !== null) {
      this.#budget.work(WALK_STEPS)
      if (isNode(node) && take(node)) return true
      node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, root)
    }
    return false
  }

  /** Gives a node and the nodes below it, in reverse document order. */
  #backwards(root: Element | Text, take: Take): boolean {
    let node: ChildNode = deepestLast(root)
    for (;;) {
      this.#budget.work(WALK_STEPS)
      if (isNode(node) && take(node)) return true
      if (node === root) return false
      const before: ChildNode | null = node.prev
      if (before !== null) node = deepestLast(before)
      else if (node.parent !== null && isTag(node.parent)) node = node.parent
      else return false
    }
  }
}

function nodesAfter(node: Element | Text, take: (node: Element | Text) => boolean): boolean {
  for (let sibling: ChildNode | null = node.next; sibling !== null; sibling = sibling.next)
    if (isNode(sibling) && take(sibling)) return true
  return false
}

function nodesBefore(node: Element | Text, take: (node: Element | Text) => boolean): boolean {
  for (let sibling: ChildNode | null = node.prev; sibling !== null; sibling = sibling.prev)
    if (isNode(sibling) && take(sibling)) return true
  return false
}

function* eachAfter(node: Element | Text): Generator<Element | Text, void, void> {
  for (let sibling: ChildNode | null = node.next; sibling !== null; sibling = sibling.next)
    if (isNode(sibling)) yield sibling
}

function* eachBefore(node: Element | Text): Generator<Element | Text, void, void> {
  for (let sibling: ChildNode | null = node.prev; sibling !== null; sibling = sibling.prev)
    if (isNode(sibling)) yield sibling
}

/** The first node after another one and all nodes below it, within `root`. */
export function nextBelow(node: ChildNode, root: Document | Element): ChildNode | null {
  let ancestor: ChildNode = node
  while (ancestor.next === null) {
    const { parent } = ancestor
    if (parent === null || parent === root || !isTag(parent)) return null
    ancestor = parent
  }
  return ancestor.next
}

function deepestLast(node: ChildNode): ChildNode {
  let deepest = node
  while (isTag(deepest) && deepest.lastChild !== null) deepest = deepest.lastChild
  return deepest
}

/** True for elements and texts. Text outside of the root element does not belong to the document. */
function isNode(node: ChildNode): node is Element | Text {
  return isTag(node) || (isText(node) && node.parent !== null && isTag(node.parent))
}

/** True for elements and texts, which have siblings. */
export function isChild(node: XPathNode): node is Element | Text {
  return !isAttribute(node) && (isTag(node) || isText(node))
}
