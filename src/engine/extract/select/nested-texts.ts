import type { PseudoSelector } from 'css-what'
import { isTag, isText, type Element, type ParentNode } from 'domhandler'
import { GrowingText } from '../../../kernel/text/long-text.ts'
import { searchSteps, type PageBudget } from '../page/page-budget.ts'
import { readableText, SILENT, walk } from '../tree/text-content.ts'

/**
 * Work on texts of single elements before the text of the whole tree is made: one per element
 * below, and one for some characters. Most recipes look at a few short elements, and stay below
 * this.
 */
const FEW = 10_000
const CHARACTERS = 16
/** Steps for one node of the whole text. */
const NODE_STEPS = 3
/** Bytes to keep one place where a text was found. */
const PLACE_BYTES = 4

/** Whether upper and lower case are the same. */
type TextForm = 'exact' | 'folded'

/** The form in which texts are compared without their case. `ς` is only `σ` at the end of a word. */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** The text that an element is to contain. */
export interface SoughtText {
  readonly text: string
  readonly form: TextForm
}

/** The text that `:contains(…)` or `:icontains(…)` looks for. `null`: it is another pseudo-class. */
export function soughtText({ name, data }: PseudoSelector): SoughtText | null {
  if (typeof data !== 'string') return null
  if (name === 'contains') return { text: data, form: 'exact' }
  return name === 'icontains' ? { text: folded(data), form: 'folded' } : null
}

/**
 * Tells which elements of a tree contain a text. Elements may be nested, and the text of each is
 * all text below it: read one by one they take the square of a page. So after some work the text of
 * the whole tree is made once, in which each element has a range.
 */
export class NestedTexts {
  readonly #budget: PageBudget
  readonly #few: number
  readonly #wholes = new Map<TextForm, WholeText>()
  #read = 0

  constructor(budget: PageBudget, few = FEW) {
    this.#budget = budget
    this.#few = few
  }

  contain(element: Element, sought: SoughtText): boolean {
    const { text, form } = sought
    if (text === '') return true
    const whole = this.#wholeOf(element, form)
    return whole?.contains(element, text) ?? this.#containsAlone(element, sought)
  }

  #containsAlone(element: Element, { text: sought, form }: SoughtText): boolean {
    const text = readableText(element, '', this.#budget)
    this.#budget.work(2 + searchSteps(text, sought))
    const below = (element.endIndex ?? 0) - (element.startIndex ?? 0)
    this.#read += 1 + below + text.length / CHARACTERS
    return (form === 'exact' ? text : folded(text)).includes(sought)
  }

  #wholeOf(element: Element, form: TextForm): WholeText | undefined {
    const made = this.#wholes.get(form)
    if (made !== undefined || this.#read < this.#few) return made
    let root: ParentNode = element
    while (root.parent !== null) root = root.parent
    const whole = new WholeText(root, form, this.#budget)
    this.#wholes.set(form, whole)
    return whole
  }
}

/** The text of a tree, with the range of each of its elements. */
class WholeText {
  readonly #text: string
  readonly #budget: PageBudget
  readonly #places = new Map<string, Places>()
  /** By the index of an element in its tree. */
  readonly #elements: Element[] = []
  readonly #from: number[] = []
  readonly #to: number[] = []

  constructor(root: ParentNode, form: TextForm, budget: PageBudget) {
    this.#budget = budget
    const text = new GrowingText()
    // Scripts and their like are no text of what is around them, so their own text comes after it.
    const parts = [root]
    for (const part of parts) {
      let nodes = 1
      if (isTag(part)) this.#begin(part, text.length)
      walk(
        part,
        (node) => {
          nodes++
          if (isText(node)) text.add(form === 'exact' ? node.data : folded(node.data))
          if (!isTag(node)) return true
          if (SILENT.has(node.name)) {
            parts.push(node)
            return false
          }
          this.#begin(node, text.length)
          return true
        },
        (node) => {
          if (isTag(node)) this.#end(node, text.length)
        },
      )
      if (isTag(part)) this.#end(part, text.length)
      budget.work(NODE_STEPS * nodes)
    }
    budget.work(text.length >> 1)
    this.#text = text.toString()
  }

  /** `undefined`: the element is in no range, because it is in another tree. */
  contains(element: Element, sought: string): boolean | undefined {
    const index = element.startIndex ?? 0
    const [from, to] = [this.#from[index], this.#to[index]]
    if (this.#elements[index] !== element || from === undefined || to === undefined)
      return undefined
    this.#budget.work(2)
    if (to - from < sought.length) return false
    const place = this.#placesOf(sought).firstFrom(from)
    return place !== -1 && place + sought.length <= to
  }

  #placesOf(sought: string): Places {
    const cached = this.#places.get(sought)
    if (cached !== undefined) return cached
    const places = new Places(this.#text, sought, this.#budget)
    this.#places.set(sought, places)
    return places
  }

  #begin(element: Element, position: number): void {
    const index = element.startIndex ?? 0
    this.#elements[index] = element
    this.#from[index] = position
    this.#to[index] = position
  }

  #end(element: Element, position: number): void {
    this.#to[element.startIndex ?? 0] = position
  }
}

/** The places where a text is found in another, which are looked for as far as they are asked for. */
class Places {
  readonly #text: string
  readonly #sought: string
  readonly #budget: PageBudget
  readonly #starts: number[] = []
  #next = 0

  constructor(text: string, sought: string, budget: PageBudget) {
    this.#text = text
    this.#sought = sought
    this.#budget = budget
  }

  /** The first place at or after a position, or -1. */
  firstFrom(position: number): number {
    while (this.#next <= position || (this.#starts.at(-1) ?? -1) < position)
      if (!this.#find()) break
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) < position) low = middle + 1
      else high = middle
    }
    return this.#starts[low] ?? -1
  }

  #find(): boolean {
    const { length } = this.#text
    if (this.#next > length) return false
    const start = this.#text.indexOf(this.#sought, this.#next)
    const end = start === -1 ? length : start
    this.#budget.work(1 + ((end - this.#next + this.#sought.length) >> 2))
    this.#next = end + 1
    if (start === -1) return false
    this.#budget.make(PLACE_BYTES)
    this.#starts.push(start)
    return true
  }
}
