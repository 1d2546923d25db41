import type { PseudoSelector } from 'css-what'
import { isTag, isText, type Element, type ParentNode } from 'domhandler'
import { GrowingText } from '../../../kernel/text/long-text.ts'
import { MOST_SOUGHT, searchSteps, type PageBudget } from '../page/page-budget.ts'
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
/** Bytes of the whole text for an element, besides its characters: the element and three numbers. */
const ELEMENT_BYTES = 20
/** Bytes and steps of an element for each text that is looked for. */
const ANSWER_BYTES = 1
const ANSWER_STEPS = 1

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
  readonly #ranges: TextRanges
  readonly #answers = new Map<string, Answers>()

  constructor(root: ParentNode, form: TextForm, budget: PageBudget) {
    this.#budget = budget
    const text = new GrowingText()
    const ranges = new RangeList()
    // Scripts and their like are no text of what is around them, so their own text comes after it.
    const parts = [root]
    for (const part of parts) {
      let nodes = 1
      if (isTag(part)) ranges.begin(part, text.length)
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
          ranges.begin(node, text.length)
          return true
        },
        (node) => {
          if (isTag(node)) ranges.end(node, text.length)
        },
      )
      if (isTag(part)) ranges.end(part, text.length)
      budget.work(NODE_STEPS * nodes)
    }
    budget.work(text.length >> 1)
    budget.make(text.length + ELEMENT_BYTES * ranges.count)
    this.#text = text.toString()
    this.#ranges = ranges.whole()
  }

  /** `undefined`: the element is in no range, because it is in another tree. */
  contains(element: Element, sought: string): boolean | undefined {
    const { numbers, elements } = this.#ranges
    const number = numbers[element.startIndex ?? 0]
    if (number === undefined || elements[number] !== element) return undefined
    this.#budget.work(2)
    return this.#answersFor(sought).of(number)
  }

  #answersFor(sought: string): Answers {
    const cached = this.#answers.get(sought)
    if (cached !== undefined) return cached
    const answers = new Answers(this.#text, sought, this.#ranges, this.#budget)
    this.#answers.set(sought, answers)
    return answers
  }
}

/** Ranges of elements in the text of a tree, in the order in which they begin. */
interface TextRanges {
  readonly elements: readonly Element[]
  readonly from: Int32Array
  readonly to: Int32Array
  /** The number of an element in this order, by its index in the tree. */
  readonly numbers: Int32Array
}

class RangeList {
  readonly #elements: Element[] = []
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #numbers: number[] = []

  get count(): number {
    return this.#elements.length
  }

  begin(element: Element, position: number): void {
    this.#numbers[element.startIndex ?? 0] = this.#elements.length
    this.#elements.push(element)
    this.#from.push(position)
    this.#to.push(position)
  }

  end(element: Element, position: number): void {
    this.#to[this.#numbers[element.startIndex ?? 0] ?? 0] = position
  }

  whole(): TextRanges {
    return {
      elements: this.#elements,
      from: Int32Array.from(this.#from),
      to: Int32Array.from(this.#to),
      numbers: Int32Array.from(this.#numbers),
    }
  }
}

/**
 * Which elements contain one text. They are answered in the order in which they begin, as far as
 * they are asked for, so that no place where the text was found need be kept.
 */
class Answers {
  readonly #text: string
  readonly #sought: string
  readonly #ranges: TextRanges
  readonly #budget: PageBudget
  readonly #contain: Uint8Array
  #answered = 0
  /** The first place at or after the last position that was looked at. */
  #place = -1

  constructor(text: string, sought: string, ranges: TextRanges, budget: PageBudget) {
    budget.make(ANSWER_BYTES * ranges.elements.length)
    this.#text = text
    this.#sought = sought
    this.#ranges = ranges
    this.#budget = budget
    this.#contain = new Uint8Array(ranges.elements.length)
  }

  of(number: number): boolean {
    if (number >= this.#answered) this.#budget.work(ANSWER_STEPS * (number + 1 - this.#answered))
    for (; this.#answered <= number; this.#answered++) this.#answer(this.#answered)
    return this.#contain[number] === 1
  }

  #answer(number: number): void {
    const { from, to } = this.#ranges
    const [start = 0, end = 0] = [from[number], to[number]]
    if (end - start < this.#sought.length) return
    if (this.#place < start) this.#find(start)
    if (this.#place + this.#sought.length <= end) this.#contain[number] = 1
  }

  #find(start: number): void {
    const { length } = this.#sought
    const place = this.#text.indexOf(this.#sought, start)
    this.#place = place === -1 ? Infinity : place
    const looked = (place === -1 ? this.#text.length : place) - start + length
    // A text that is allowed may become longer than this without its case.
    this.#budget.work(1 + Math.ceil((looked * (length <= MOST_SOUGHT ? 1 : length)) / 4))
  }
}
