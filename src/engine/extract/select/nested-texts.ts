import type { PseudoSelector } from 'css-what'
import { isTag, isText, type Element, type ParentNode } from 'domhandler'
import { GrowingText, replaceEach } from '../../../kernel/text/long-text.ts'
import { atOnce, type Parts } from '../page/in-turns.ts'
import { MOST_SOUGHT, searchSteps, type PageBudget } from '../page/page-budget.ts'
import {
  rawText,
  rawParts,
  readableParts,
  readableText,
  SILENT,
  walkParts,
} from '../tree/text-content.ts'

/**
 * Work on texts of single elements before the text of the whole tree is made. It counts one for
 * each element below, and one for some characters. Most recipes read a few short elements, and stay
 * below this.
 */
const FEW = 10_000
const CHARACTERS = 16
/** Steps for one character of a text whose white space is replaced. */
const SPACE_STEPS = 2
/** Steps for one node of the whole text. */
const NODE_STEPS = 3
/** Bytes of the whole text for an element, besides its characters: the element and three numbers. */
const ELEMENT_BYTES = 20
/** Bytes and steps of an element for each text that is looked for. */
const ANSWER_BYTES = 1
const ANSWER_STEPS = 1

/**
 * The text that is searched: the readable one, the same without its case, all text with scripts,
 * and that with its white space as `normalize-space()` leaves it.
 */
type TextForm = 'exact' | 'folded' | 'raw' | 'spaced'

/** How an element is to have a text. */
export type TextRelation = 'contains' | 'starts' | 'equals'

/**
 * The form in which texts are compared without their case. `ς` is the form of `σ` at the end of a
 * word.
 */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** The text that an element must contain. */
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
 * Finds out which elements of a tree contain a text. Elements may be nested, and the text of each
 * is all text below it, so reading them one by one would take the square of a page. After some work
 * the text of the whole tree is made once. Each element is then a range in it.
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
    return this.has(element, sought, 'contains')
  }

  has(element: Element, sought: SoughtText, relation: TextRelation): boolean {
    const { text, form } = sought
    if (text === '' && relation !== 'equals') return true
    return (
      this.#wholeOf(element, form)?.has(element, text, relation) ??
      this.#hasAlone(element, sought, relation)
    )
  }

  /** Like {@link has} in parts. */
  *hasParts(element: Element, sought: SoughtText, relation: TextRelation): Parts<boolean> {
    const { text, form } = sought
    if (text === '' && relation !== 'equals') return true
    if (!this.#wholes.has(form) && this.#read >= this.#few)
      this.#wholes.set(form, yield* wholeParts(rootOf(element), form, this.#budget))
    const isLarge = belowIn(element) >= LARGE
    const answer = this.#wholes.get(form)?.has(element, text, relation)
    if (answer !== undefined) return answer
    if (!isLarge && form !== 'spaced') return this.#hasAlone(element, sought, relation)
    const own = yield* textParts(element, form, this.#budget)
    this.#read += 1 + belowIn(element) + own.length / CHARACTERS
    if (form !== 'spaced') return this.#isFound(own, text, relation)
    this.#budget.workAhead(SPACE_STEPS * own.length)
    const spaced = yield* normalizeSpaceParts(own, (length) =>
      this.#budget.did(SPACE_STEPS * length),
    )
    return this.#isFound(spaced, text, relation)
  }

  #hasAlone(element: Element, { text: sought, form }: SoughtText, relation: TextRelation): boolean {
    const own = textIn(element, form, this.#budget)
    this.#read += 1 + belowIn(element) + own.length / CHARACTERS
    if (form === 'spaced') this.#budget.work(SPACE_STEPS * own.length)
    return this.#isFound(form === 'spaced' ? normalizeSpace(own) : own, sought, relation)
  }

  #isFound(text: string, sought: string, relation: TextRelation): boolean {
    this.#budget.work(2 + searchSteps(text, sought))
    if (relation === 'equals') return text === sought
    return relation === 'starts' ? text.startsWith(sought) : text.includes(sought)
  }

  #wholeOf(element: Element, form: TextForm): WholeText | undefined {
    const made = this.#wholes.get(form)
    if (made !== undefined || this.#read < this.#few) return made
    const whole = atOnce(wholeParts(rootOf(element), form, this.#budget))
    this.#wholes.set(form, whole)
    return whole
  }
}

/** The text of an element with more elements than this is read in parts. */
const LARGE = 2_000

function belowIn({ startIndex, endIndex }: Element): number {
  return (endIndex ?? 0) - (startIndex ?? 0)
}

function rootOf(element: Element): ParentNode {
  let root: ParentNode = element
  while (root.parent !== null) root = root.parent
  return root
}

/** Like {@link textIn} in parts. */
function* textParts(element: Element, form: TextForm, budget: PageBudget): Parts<string> {
  switch (form) {
    case 'exact':
      return yield* readableParts(element, '', budget)
    case 'folded':
      return folded(yield* readableParts(element, '', budget))
    case 'raw':
    case 'spaced':
      return yield* rawParts(element, budget)
  }
}

/** The text of an element by itself, with its white space as it is. */
function textIn(element: Element, form: TextForm, budget: PageBudget): string {
  switch (form) {
    case 'exact':
      return readableText(element, '', budget)
    case 'folded':
      return folded(readableText(element, '', budget))
    case 'raw':
    case 'spaced':
      return rawText(element, budget)
  }
}

/** White space of XPath, which is less than Unicode's. */
const SPACES = /[\t\n\r ]+/g

/** Replaces each run of white space with one space, and trims, as XPath does. */
export function normalizeSpace(text: string): string {
  return withoutEnds(replaceEach(text, SPACES, ' '))
}

/** Leaves out one space at each end. */
function withoutEnds(text: string): string {
  const start = text.startsWith(' ') ? 1 : 0
  return text.slice(start, text.length > start && text.endsWith(' ') ? -1 : undefined)
}

/** Characters of a slice of a text. */
const SLICE = 100_000
/** The white space before a word. */
const BEFORE_WORD = /[ \t\n\r](?=[^ \t\n\r])/g

/** A text in slices. Each ends before a word, so no word and no white space is in two of them. */
export function* wordSlices(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length;) {
    BEFORE_WORD.lastIndex = start + SLICE
    const end = BEFORE_WORD.test(text) ? BEFORE_WORD.lastIndex : text.length
    yield text.slice(start, end)
    start = end
  }
}

/** Like {@link normalizeSpace} in parts. `did` is told the length of each. */
export function* normalizeSpaceParts(text: string, did: (length: number) => void): Parts<string> {
  const pieces: string[] = []
  for (const slice of wordSlices(text)) {
    pieces.push(replaceEach(slice, SPACES, ' '))
    did(slice.length)
    yield
  }
  return withoutEnds(pieces.join(''))
}

/** Returns a part of a text in a form. `isSpaced`: the text before it ends with a space. */
function partIn(form: TextForm, part: string, isSpaced: boolean): string {
  if (form === 'folded') return folded(part)
  if (form !== 'spaced') return part
  const spaced = replaceEach(part, SPACES, ' ')
  return isSpaced && spaced.startsWith(' ') ? spaced.slice(1) : spaced
}

/** Makes the text of a tree, with the range of each of its elements. */
function* wholeParts(root: ParentNode, form: TextForm, budget: PageBudget): Parts<WholeText> {
  const text = new GrowingText()
  const ranges = new RangeList()
  // Scripts and their like are not text of what is around them, so their own text comes after it.
  const isReadable = form === 'exact' || form === 'folded'
  const parts = [root]
  let isSpaced = false
  let characters = 0
  let nodes = 0
  let paid = 0
  const pay = (): void => {
    const due =
      NODE_STEPS * nodes + (form === 'spaced' ? SPACE_STEPS * characters : text.length >> 1)
    budget.work(due - paid)
    paid = due
  }
  for (const part of parts) {
    nodes++
    if (isTag(part)) ranges.begin(part, text.length)
    const walked = walkParts(
      part,
      (node) => {
        nodes++
        if (isText(node)) {
          const added = partIn(form, node.data, isSpaced)
          text.add(added)
          characters += node.data.length
          if (added !== '') isSpaced = added.endsWith(' ')
        }
        if (!isTag(node)) return true
        if (isReadable && SILENT.has(node.name)) {
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
    for (const _ of walked) {
      pay()
      yield
    }
    if (isTag(part)) ranges.end(part, text.length)
  }
  pay()
  budget.make(text.length + ELEMENT_BYTES * ranges.count)
  const whole = text.toString()
  return new WholeText(
    whole,
    form === 'spaced' ? trimmed(ranges.whole(), whole) : ranges.whole(),
    budget,
  )
}

/** The text of a tree, with the range of each of its elements. */
class WholeText {
  readonly #text: string
  readonly #budget: PageBudget
  readonly #ranges: TextRanges
  readonly #answers = new Map<string, Answers>()

  constructor(text: string, ranges: TextRanges, budget: PageBudget) {
    this.#text = text
    this.#ranges = ranges
    this.#budget = budget
  }

  /** `undefined`: the element is in no range, because it is in another tree. */
  has(element: Element, sought: string, relation: TextRelation): boolean | undefined {
    const { numbers, elements } = this.#ranges
    const number = numbers[element.startIndex ?? 0]
    if (number === undefined || elements[number] !== element) return undefined
    this.#budget.work(2)
    return relation === 'contains'
      ? this.#answersFor(sought).of(number)
      : this.#begins(number, sought, relation === 'equals')
  }

  /** Whether the text of an element begins with another one, or is no more than that. */
  #begins(number: number, sought: string, isWhole: boolean): boolean {
    const [start = 0, end = 0] = [this.#ranges.from[number], this.#ranges.to[number]]
    const isLong = isWhole ? end - start === sought.length : end - start >= sought.length
    this.#budget.work(1 + (sought.length >> 3))
    return isLong && this.#text.startsWith(sought, start)
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

/** Ranges without white space at their ends, in a text that has one space for each run of it. */
function trimmed({ from, to, ...ranges }: TextRanges, text: string): TextRanges {
  const isSpace = (position: number): boolean => text[position] === ' '
  const starts = from.map((start, number) =>
    start < (to[number] ?? 0) && isSpace(start) ? start + 1 : start,
  )
  const ends = to.map((end, number) =>
    (starts[number] ?? 0) < end && isSpace(end - 1) ? end - 1 : end,
  )
  return { ...ranges, from: starts, to: ends }
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
 * Finds out which elements contain one text. Elements are asked about in the order in which they
 * begin, and only as far as needed, so no positions of matches are stored.
 */
class Answers {
  readonly #text: string
  readonly #sought: string
  readonly #ranges: TextRanges
  readonly #budget: PageBudget
  readonly #contain: Uint8Array
  #answered = 0
  /** The first match at or after the last position. */
  #match = -1

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
    if (this.#match < start) this.#find(start)
    if (this.#match + this.#sought.length <= end) this.#contain[number] = 1
  }

  #find(start: number): void {
    const { length } = this.#sought
    const match = this.#text.indexOf(this.#sought, start)
    this.#match = match === -1 ? Infinity : match
    const looked = (match === -1 ? this.#text.length : match) - start + length
    // Without its case, an allowed text may become longer than this.
    this.#budget.work(1 + Math.ceil((looked * (length <= MOST_SOUGHT ? 1 : length)) / 4))
  }
}
