import {
  Document,
  isText,
  type Element,
  type Text,
  type ChildNode,
  type ParentNode,
} from 'domhandler'
import { flat } from '../../../kernel/text/long-text.ts'
import type { PageBudget } from '../page/page-budget.ts'
import {
  BOUNDARY,
  FOREIGN,
  FORMATTING,
  IMPLIED,
  MARKER,
  TABLE_CONTEXT,
  TABLE_PART,
  traitsOf,
  type Traits,
} from './element-traits.ts'
import { FormattingList, MAX_LISTED } from './formatting-list.ts'
import { LevelIndex } from './level-index.ts'
import { appendTo, lastOf, PageElement, PageTextNode } from './page-nodes.ts'

/**
 * Maximum depth. Deeper elements are left out and their text is kept, because later tree walks may
 * recurse.
 */
const MAX_DEPTH = 500
/** Maximum elements and texts of one page. */
const MAX_NODES = 500_000

/** If more elements are open, they are indexed. */
const MANY_LEVELS = 40
/** A search looks at so many levels before it takes the index. */
const NEAR_LEVELS = 4

/** The `endIndex` of an element that is open. */
const OPEN = -1

/** Number of characters of joined texts after which they are made one string. */
const LONG_END = 4_096

/**
 * Shared by all elements without children. {@link OpenElements} gives an element its own list with
 * its first child.
 */
const NO_CHILDREN: ChildNode[] = []
Object.freeze(NO_CHILDREN)

/** The costs of a tree, or of all templates of a page, besides those of their characters. */
export interface TreeWork {
  /** The elements that were opened again, and their maximum number. */
  copies: number
  readonly mostCopies: number
}

/**
 * The tree under construction and its stack of open elements. It keeps the numbering that
 * {@link Tree} promises.
 */
export class OpenElements {
  readonly document = new Document([])
  readonly elements: Element[] = []
  readonly #stack: Element[] = []
  readonly #bits: number[] = []
  /** The same elements for searches, from the time when they were many. */
  #index: LevelIndex | null = null
  #nodes = 0
  #skipped = 0
  #isTooDeep = false
  /** The last text that was extended, as its start and its growing end. */
  #growing: Text | null = null
  #start = ''
  #end = ''
  /**
   * The elements that were ended although others in them stay open, each as the index of the first
   * one of these. In order. They count as levels.
   */
  #ended: number[] = []
  #formatting: FormattingList | null = null
  readonly #work: TreeWork
  #isCopyCut = false
  #reordered = false
  /** The number of open `p` elements. It makes most searches for one unnecessary. */
  openParagraphs = 0
  /**
   * True while an element or text that is not part of a table is placed before it ("foster
   * parenting").
   */
  fostering = false
  /**
   * The form whose end tag has not come, even if something else has closed it ("form element
   * pointer"). Another form is then ignored.
   */
  form: Element | null = null

  constructor(work: TreeWork) {
    this.#work = work
  }

  /**
   * The list of formatting elements, which are reopened if needed. `null`: all of them are open, so
   * no list is needed yet.
   */
  get formatting(): FormattingList | null {
    return this.#formatting
  }

  /** True if the elements are not in document order. */
  get reordered(): boolean {
    return this.#reordered
  }

  get full(): boolean {
    return this.#nodes >= MAX_NODES
  }

  /** Records the parts that were left out because of the limits of a tree. */
  noteCuts(budget: PageBudget): void {
    if (this.full) budget.cut('nodes', MAX_NODES, 'page')
    if (this.#isTooDeep) budget.cut('levels', MAX_DEPTH, 'page')
    if (this.#formatting?.isCut === true) budget.cut('open formatting elements', MAX_LISTED, 'page')
    if (this.#isCopyCut) budget.cut('elements opened again', this.#work.mostCopies, 'page')
  }

  /** True if no more elements can be opened. */
  get atLimit(): boolean {
    return this.#stack.length + this.#ended.length >= MAX_DEPTH
  }

  get depth(): number {
    return this.#stack.length
  }

  get current(): Element | undefined {
    return this.#stack[this.#stack.length - 1]
  }

  /** The name of the current element, or nothing if it is of SVG or MathML. */
  get currentName(): string {
    return this.nameAt(this.#stack.length - 1)
  }

  get currentBits(): number {
    return this.#bits[this.#bits.length - 1] ?? 0
  }

  /** The name of an open element, or nothing if it is of SVG or MathML. */
  nameAt(index: number): string {
    return this.bitsAt(index) & FOREIGN ? '' : (this.#stack[index]?.name ?? '')
  }

  bitsAt(index: number): number {
    return this.#bits[index] ?? 0
  }

  /** Appends an element to the current one, or to `parent`, without opening it. */
  append(traits: Traits, attributes: Record<string, string>, parent?: ParentNode): Element {
    const element = this.#create(traits.name, attributes)
    if (parent === undefined && this.#isFostered) this.#foster(element)
    else this.#attach(element, parent ?? this.current ?? this.document)
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
    element.endIndex = OPEN
    this.#stack.push(element)
    this.#bits.push(traits.bits)
    if (this.#index !== null) this.#index.add(this.#stack.length - 1, traits.name, traits.bits)
    else if (this.#stack.length > MANY_LEVELS) this.#index = LevelIndex.of(this.#stack, this.#bits)
    if (traits.name === 'p') this.openParagraphs++
    if (this.#formatting !== null) {
      if (traits.bits & MARKER) this.#formatting.addMarker()
      else if (traits.bits & FORMATTING) this.#formatting.add(element)
    }
    return element
  }

  text(data: string, parent?: ParentNode): void {
    if (parent === undefined && this.#isFostered) {
      const before = this.#lastTable()?.prev
      if (before && isText(before)) this.#extend(before, data)
      else this.#foster(new PageTextNode(data))
      return
    }
    const target = parent ?? this.current ?? this.document
    const last = lastOf(target.children)
    if (last !== undefined && isText(last)) this.#extend(last, data)
    else this.#attach(new PageTextNode(data), target)
  }

  #extend(last: Text, data: string): void {
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
    const bits = this.#bits.pop() ?? 0
    if (element === undefined) return
    this.#index?.remove(this.#stack.length, element.name, bits)
    element.endIndex = this.elements.length - 1
    if (element.name === 'p') this.openParagraphs--
    while ((lastOf(this.#ended) ?? -1) >= this.#stack.length) this.#ended.pop()
  }

  /**
   * Closes the element at `index` and everything above it. Formatting above it is reopened later,
   * unless a marker stops it.
   */
  popTo(index: number): void {
    if (index < 0) return
    let held = (this.bitsAt(index) & MARKER) !== 0
    for (let position = index + 1; position < this.#stack.length; position++) {
      const bits = this.bitsAt(position)
      if (bits & MARKER && bits & TABLE_PART) held = true
      else if (bits & MARKER || (bits & FORMATTING && !held)) this.listFormatting()
    }
    while (this.#stack.length > index) this.pop()
    if (held) this.#formatting?.clearToMarker()
  }

  /** Closes what is open above the table part at `index`. */
  popToContext(index: number): void {
    this.listFormatting()
    while (this.#stack.length > index + 1) this.pop()
  }

  /**
   * Returns the list of formatting elements, and makes it if needed. Until then, it would have the
   * same elements as the stack, so most pages need no list.
   */
  listFormatting(): FormattingList {
    if (this.#formatting !== null) return this.#formatting
    const list = new FormattingList()
    for (const [index, element] of this.#stack.entries()) {
      const bits = this.bitsAt(index)
      if (bits & MARKER) list.addMarker()
      else if (bits & FORMATTING) list.add(element)
    }
    this.#formatting = list
    return list
  }

  /**
   * Opens formatting again that something else closed ("reconstruct the active formatting
   * elements").
   */
  reopen(): void {
    const list = this.#formatting
    if (list === null || this.#isCopyCut || this.atLimit) return
    let first = list.length
    for (; first > 0; first--) {
      const element = list.elementAt(first - 1)
      if (element === null || element.endIndex === OPEN) break
    }
    for (let index = first; index < list.length && !this.atLimit; index++) {
      const element = list.elementAt(index)
      if (element === null || !this.mayCopy()) return
      const traits = traitsOf(element.name)
      const copy = this.append(traits, element.attribs)
      list.replace(index, copy)
      this.insertAt(this.#stack.length, copy, traits.bits)
      this.#work.copies++
    }
  }

  popImplied(except: string): void {
    while (this.currentBits & IMPLIED && this.currentName !== except) this.pop()
  }

  /**
   * Returns the index of the topmost open element of a name, or -1 if a boundary (or one of
   * `further`) comes first.
   */
  inScope(name: string, further = name, last = name): number {
    const index = this.top(BOUNDARY, name, further, last)
    return this.nameAt(index) === name ? index : -1
  }

  /**
   * Returns the index of the topmost open element that has one of the bits or, in HTML, one of the
   * names; or -1.
   */
  top(bits: number, first = '', second = first, third = second): number {
    const stack = this.#stack
    const lowest = this.#index === null ? 0 : Math.max(0, stack.length - NEAR_LEVELS)
    for (let index = stack.length - 1; index >= lowest; index--) {
      const has = this.#bits[index] ?? 0
      if (has & bits) return index
      if (first === '' || has & FOREIGN) continue
      const name = stack[index]?.name
      if (name === first || name === second || name === third) return index
    }
    return this.#index?.top(bits, first, second, third) ?? -1
  }

  /**
   * Returns the index of the topmost element that is of HTML, or is of SVG or MathML and has the
   * name.
   */
  topForeign(name: string): number {
    const lowest = this.#index === null ? 0 : Math.max(0, this.#stack.length - NEAR_LEVELS)
    for (let index = this.#stack.length - 1; index >= lowest; index--)
      if ((this.bitsAt(index) & FOREIGN) === 0 || this.#stack[index]?.name === name) return index
    return this.#index?.topForeign(name) ?? -1
  }

  /** True if no boundary is open above `index`. */
  isInScope(index: number): boolean {
    return this.top(BOUNDARY) <= index
  }

  /** Like {@link inScope}, with `table` as the only boundary. */
  inTableScope(name: string): number {
    const index = this.top(0, name, 'table')
    return this.nameAt(index) === name ? index : -1
  }

  closeAll(): void {
    while (this.#stack.length > 0) this.pop()
  }

  indexOf(element: Element): number {
    return this.#stack.lastIndexOf(element)
  }

  isOpen(element: Element): boolean {
    return element.endIndex === OPEN
  }

  elementAt(index: number): Element {
    const element = this.#stack[index]
    if (element === undefined) throw new RangeError(`No element is open at ${index}`)
    return element
  }

  /** Ends an element although others in it stay open. */
  end(index: number): void {
    if (index === this.#stack.length - 1) {
      this.pop()
      return
    }
    this.#reordered = true
    this.removeAt(index)
    this.#ended.splice(this.#endedBelow(index), 0, index)
  }

  removeAt(index: number): void {
    const [element] = this.#stack.splice(index, 1)
    const [bits] = this.#bits.splice(index, 1)
    if (element !== undefined) {
      element.endIndex = element.startIndex
      this.#index?.remove(index, element.name, bits ?? 0)
    }
    this.#shiftEnded(index + 1, -1)
  }

  insertAt(index: number, element: Element, bits: number): void {
    element.endIndex = OPEN
    this.#stack.splice(index, 0, element)
    this.#bits.splice(index, 0, bits)
    if (this.#index?.add(index, element.name, bits) === false)
      this.#index = LevelIndex.of(this.#stack, this.#bits)
    this.#shiftEnded(index, 1)
  }

  /** Forgets the ended elements from `first` to `last`, when their content is moved out of them. */
  leaveEnded(first: number, last: number): void {
    if (this.#ended.length > 0)
      this.#ended = this.#ended.filter((index) => index < first || index > last)
  }

  /** Returns how many ended elements are around the one at `index`, or further out. */
  #endedBelow(index: number): number {
    let count = this.#ended.length
    while (count > 0 && (this.#ended[count - 1] ?? 0) > index) count--
    return count
  }

  /** Corrects the indexes from `first` on for an element that was added or removed. */
  #shiftEnded(first: number, by: number): void {
    for (let entry = this.#endedBelow(first - 1); entry < this.#ended.length; entry++)
      this.#ended[entry] = (this.#ended[entry] ?? 0) + by
  }

  /** Replaces an element by its copy. */
  replaceAt(index: number, copy: Element): void {
    const former = this.elementAt(index)
    former.endIndex = former.startIndex
    copy.endIndex = OPEN
    this.#stack[index] = copy
  }

  /** True if elements may be opened again. */
  mayCopy(): boolean {
    this.#isCopyCut ||= this.#work.copies >= this.#work.mostCopies
    return !this.#isCopyCut
  }

  copyOf({ name, attribs }: Element): Element {
    this.#work.copies++
    return this.#create(name, attribs)
  }

  /** Moves an element to the end of another. */
  move(element: Element, parent: Element): void {
    this.detach(element)
    this.#attach(element, parent)
  }

  /** Moves an element to the end of the open one at `index`, or before its table. */
  moveBelow(element: Element, index: number): void {
    this.detach(element)
    if (this.bitsAt(index) & TABLE_CONTEXT) this.#foster(element)
    else this.#attach(element, this.elementAt(index))
  }

  /** Moves what an element contains into another, which becomes its only child. */
  moveContent(element: Element, into: Element): void {
    into.children = element.children
    for (const child of into.children) child.parent = into
    element.children = NO_CHILDREN
    this.#attach(into, element)
  }

  get #isFostered(): boolean {
    return this.fostering && (this.currentBits & TABLE_CONTEXT) !== 0
  }

  #create(name: string, attributes: Record<string, string>): Element {
    const element = new PageElement(name, attributes, NO_CHILDREN, this.elements.length)
    this.elements.push(element)
    return element
  }

  #lastTable(): Element | undefined {
    return this.#stack[this.top(0, 'table')]
  }

  /** Places a node before the table that it was written in. */
  #foster(node: ChildNode): void {
    const table = this.#lastTable()
    this.#reordered = true
    if (table?.parent) this.#attach(node, table.parent, table)
    else this.#attach(node, this.current ?? this.document)
  }

  /** Takes a node out of the tree. */
  detach(node: ChildNode): void {
    this.#reordered = true
    const { parent, prev, next } = node
    if (prev !== null) prev.next = next
    if (next !== null) next.prev = prev
    node.prev = node.next = null
    if (parent === null) return
    const index = parent.children.lastIndexOf(node)
    if (index !== -1) parent.children.splice(index, 1)
  }

  #attach(node: ChildNode, parent: ParentNode, before: ChildNode | null = null): void {
    this.#nodes++
    node.parent = parent
    if (before === null) {
      appendTo(parent, node)
      return
    }
    const { prev } = before
    node.prev = prev
    if (prev !== null) prev.next = node
    node.next = before
    before.prev = node
    parent.children.splice(parent.children.lastIndexOf(before), 0, node)
  }
}
