import { Document, Element, isText, Text, type ChildNode, type ParentNode } from 'domhandler'
import { flat } from '../../../kernel/text/long-text.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { BOUNDARY, FORMATTING, IMPLIED, MARKER, type Traits } from './element-traits.ts'

/**
 * Maximum depth. Deeper elements are left out and their text is kept, because later tree walks may
 * recurse.
 */
const MAX_DEPTH = 500
/** Maximum elements and texts of one page. */
const MAX_NODES = 500_000

/** Number of characters of joined texts after which they are made one string. */
const LONG_END = 4_096

/**
 * Shared by all elements without children. {@link OpenElements} gives an element its own list with
 * its first child.
 */
const NO_CHILDREN: ChildNode[] = []
Object.freeze(NO_CHILDREN)

/**
 * The tree under construction and its stack of open elements. It keeps the numbering that
 * {@link Tree} promises.
 */
export class OpenElements {
  readonly document = new Document([])
  readonly elements: Element[] = []
  readonly #stack: Element[] = []
  readonly #bits: number[] = []
  #nodes = 0
  #skipped = 0
  #isTooDeep = false
  /** The last text that was extended, as its start and its growing end. */
  #growing: Text | null = null
  #start = ''
  #end = ''
  /** The number of open `p` elements. It makes most searches for one unnecessary. */
  openParagraphs = 0
  /**
   * True if the standard would reopen an element or move one out of a table, which this builder
   * does not do.
   */
  misnested = false
  /**
   * True if a form is open, or was opened where it could not stay open. Another form is then
   * ignored.
   */
  formOpen = false

  get full(): boolean {
    return this.#nodes >= MAX_NODES
  }

  /** Records what the limits of a tree have left out. */
  noteCuts(budget: PageBudget): void {
    if (this.full) budget.cut('nodes', MAX_NODES, 'page')
    if (this.#isTooDeep) budget.cut('levels', MAX_DEPTH, 'page')
  }

  /** True if nothing more can be opened. */
  get atLimit(): boolean {
    return this.#stack.length >= MAX_DEPTH
  }

  get depth(): number {
    return this.#stack.length
  }

  get current(): Element | undefined {
    return this.#stack[this.#stack.length - 1]
  }

  get currentName(): string {
    return this.#stack[this.#stack.length - 1]?.name ?? ''
  }

  get currentBits(): number {
    return this.#bits[this.#bits.length - 1] ?? 0
  }

  nameAt(index: number): string {
    return this.#stack[index]?.name ?? ''
  }

  bitsAt(index: number): number {
    return this.#bits[index] ?? 0
  }

  /** Appends an element to the current one, or to `parent`, without opening it. */
  append(
    traits: Traits,
    attributes: Record<string, string>,
    parent: ParentNode = this.current ?? this.document,
  ): Element {
    const element = new Element(traits.name, attributes, NO_CHILDREN)
    element.startIndex = element.endIndex = this.elements.length
    this.elements.push(element)
    this.#attach(element, parent)
    return element
  }

  /** Appends an element and opens it. */
  push(traits: Traits, attributes: Record<string, string>, parent?: ParentNode): Element | null {
    if (this.atLimit) {
      this.#skipped++
      this.#isTooDeep = true
      return null
    }
    const element = this.append(traits, attributes, parent)
    this.#stack.push(element)
    this.#bits.push(traits.bits)
    if (traits.name === 'p') this.openParagraphs++
    return element
  }

  text(data: string, parent: ParentNode = this.current ?? this.document): void {
    const last = parent.children[parent.children.length - 1]
    if (last === undefined || !isText(last)) {
      this.#attach(new Text(data), parent)
      return
    }
    // A page may have millions of small texts in a row.
    if (last !== this.#growing) {
      this.#growing = last
      this.#start = last.data
      this.#end = ''
    }
    this.#end += data
    last.data = this.#start + this.#end
    if (this.#end.length < LONG_END) return
    this.#start += flat(this.#end)
    this.#end = ''
  }

  /** True if an end tag belongs to an element that was too deep to be opened. */
  closesSkipped(): boolean {
    if (this.#skipped === 0) return false
    this.#skipped--
    return true
  }

  pop(): void {
    const element = this.#stack.pop()
    this.#bits.pop()
    if (element === undefined) return
    element.endIndex = this.elements.length - 1
    if (element.name === 'p') this.openParagraphs--
  }

  /**
   * Closes the element at `index` and everything above it. Detects formatting that would have to be
   * reopened, unless a marker above `index` stops it.
   */
  popTo(index: number): void {
    if (index < 0) return
    let held = (this.bitsAt(index) & MARKER) !== 0
    for (let position = index + 1; position < this.#stack.length; position++) {
      const bits = this.bitsAt(position)
      if (bits & MARKER) held = true
      else if (bits & FORMATTING && !held) this.misnested = true
    }
    while (this.#stack.length > index) this.pop()
  }

  popImplied(except: string): void {
    while (this.currentBits & IMPLIED && this.currentName !== except) this.pop()
  }

  /**
   * Returns the index of the topmost open element of a name, or -1 if a boundary (or one of
   * `further`) comes first.
   */
  inScope(name: string, further = '', last = ''): number {
    for (let index = this.#stack.length - 1; index >= 0; index--) {
      const here = this.nameAt(index)
      if (here === name) return index
      if (this.bitsAt(index) & BOUNDARY || here === further || here === last) return -1
    }
    return -1
  }

  /** Returns the index of the topmost open element of a name, or -1. */
  lastIndexOf(name: string): number {
    let index = this.#stack.length - 1
    while (index >= 0 && this.nameAt(index) !== name) index--
    return index
  }

  /** Like {@link inScope}, with `table` as the only boundary. */
  inTableScope(name: string): number {
    for (let index = this.#stack.length - 1; index >= 0; index--) {
      const here = this.nameAt(index)
      if (here === name) return index
      if (here === 'table') return -1
    }
    return -1
  }

  closeAll(): void {
    while (this.#stack.length > 0) this.pop()
  }

  #attach(node: ChildNode, parent: ParentNode): void {
    this.#nodes++
    node.parent = parent
    const previous = parent.children[parent.children.length - 1]
    if (previous === undefined) {
      // Most elements have one child. An array literal of one is smaller: a list that is pushed
      // to has room for seventeen.
      parent.children = [node]
      return
    }
    node.prev = previous
    previous.next = node
    parent.children.push(node)
  }
}
