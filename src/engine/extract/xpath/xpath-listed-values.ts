import { AheadPay, atOnce, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { toNumber } from './xpath-values.ts'

/** Steps and bytes for a value that is listed, besides its characters. */
const VALUE_STEPS = 8
const VALUE_BYTES = 64
/** Values that are read in one part. */
const READ = 5_000
/** Steps to look up a value. */
const LOOK_STEPS = 2

/**
 * The part of a list that is compared: the values before a node, after it, or all. `number`: the
 * number of the node among the children of its parent.
 */
export interface ValueRange {
  readonly values: ListedValues
  readonly kind: 'before' | 'after' | 'all'
  readonly from: number
  readonly to: number
  readonly number: number
}

/**
 * Texts of nodes in document order. What a comparison has to know of a range that begins with the
 * first, or ends with the last, is made once for all such ranges.
 */
export class ListedValues {
  readonly texts: readonly string[]
  /** The number of each node among the children of its parent; empty if they are not siblings. */
  readonly numbers: Int32Array
  readonly #budget: PageBudget
  readonly #meetings = new Map<ListedValues, Uint8Array>()
  #positions: Positions<string> | null = null
  #numeric: NumericValues | null = null

  constructor(texts: readonly string[], numbers: Int32Array, budget: PageBudget) {
    budget.work(VALUE_STEPS * texts.length)
    budget.make(texts.reduce((bytes, text) => bytes + text.length, VALUE_BYTES * texts.length))
    this.texts = texts
    this.numbers = numbers
    this.#budget = budget
  }

  /** The positions of each text. */
  get positions(): Positions<string> {
    return (this.#positions ??= atOnce(positionParts(this.texts, this.#budget)))
  }

  /** The texts as numbers. */
  get numeric(): NumericValues {
    return (this.#numeric ??= atOnce(numericParts(this.texts, this.#budget)))
  }

  /** Makes {@link positions} in parts. */
  *readPositions(): Parts<void> {
    this.#positions ??= yield* positionParts(this.texts, this.#budget)
  }

  /** Makes {@link numeric} in parts. */
  *readNumeric(): Parts<void> {
    this.#numeric ??= yield* numericParts(this.texts, this.#budget)
  }

  /** Makes in parts what {@link meets} needs. */
  *readMeetings(range: ValueRange, other: ValueRange): Parts<void> {
    if (this.#meetings.has(other.values)) return
    this.#meetings.set(other.values, yield* meetingParts(range, other, this.#budget))
  }

  /** Whether a range of this list and one of another list at the same node have a text in common. */
  meets(range: ValueRange, other: ValueRange): boolean {
    this.#budget.work(LOOK_STEPS)
    let covered = this.#meetings.get(other.values)
    if (covered === undefined) {
      covered = atOnce(meetingParts(range, other, this.#budget))
      this.#meetings.set(other.values, covered)
    }
    const number = range.kind === 'all' ? other.number : range.number
    return covered[Math.min(number, covered.length - 1)] === 1
  }
}

/** The first and the last position of each value of a list. */
export class Positions<T> {
  readonly firsts: ReadonlyMap<T, number>
  readonly lasts: ReadonlyMap<T, number>
  /** The values before this position are all the same, and those from the other one on. */
  readonly sameUntil: number
  readonly sameFrom: number
  readonly #budget: PageBudget

  constructor(
    values: readonly T[],
    firsts: ReadonlyMap<T, number>,
    lasts: ReadonlyMap<T, number>,
    budget: PageBudget,
  ) {
    this.#budget = budget
    this.firsts = firsts
    this.lasts = lasts
    const until = values.findIndex((value) => value !== values[0])
    this.sameUntil = until === -1 ? values.length : until
    this.sameFrom = values.findLastIndex((value) => value !== values.at(-1)) + 1
  }

  /** Whether a range, which is not in the middle of the list, has a value. */
  has(value: T, { from, to }: ValueRange): boolean {
    this.#budget.work(LOOK_STEPS)
    const first = this.firsts.get(value)
    if (first === undefined || first >= to) return false
    return (this.lasts.get(value) ?? -1) >= from
  }

  /** Whether all values of a range are the same. */
  areSame({ from, to }: ValueRange): boolean {
    return to - from < 2 || to <= this.sameUntil || from >= this.sameFrom
  }
}

function* positionParts<T>(values: readonly T[], budget: PageBudget): Parts<Positions<T>> {
  const pay = new AheadPay(budget, VALUE_STEPS, values.length)
  budget.make(VALUE_BYTES * values.length)
  const firsts = new Map<T, number>()
  const lasts = new Map<T, number>()
  for (const [index, value] of values.entries()) {
    if (pay.ends()) yield
    if (!firsts.has(value)) firsts.set(value, index)
    lasts.set(value, index)
  }
  pay.end()
  return new Positions(values, firsts, lasts, budget)
}

function* numericParts(texts: readonly string[], budget: PageBudget): Parts<NumericValues> {
  const numbers: number[] = []
  for (const text of texts) {
    if (numbers.push(toNumber(text)) % READ !== 0) continue
    budget.unpaid(VALUE_STEPS * READ)
    yield
  }
  return new NumericValues(numbers, yield* positionParts(numbers, budget), budget)
}

/** Numbers of a list, of which some texts may be none. */
export class NumericValues {
  readonly numbers: readonly number[]
  readonly positions: Positions<number>
  readonly #budget: PageBudget
  readonly #ends = new Map<ValueRange['kind'], Ends>()

  constructor(numbers: readonly number[], positions: Positions<number>, budget: PageBudget) {
    this.numbers = numbers
    this.positions = positions
    this.#budget = budget
  }

  /** The smallest number of a range; `Infinity` if it has none. */
  leastOf({ kind, from, to }: ValueRange): number {
    return this.#endsOf(kind).least[kind === 'after' ? from : to] ?? Infinity
  }

  /** The largest number of a range; `-Infinity` if it has none. */
  mostOf({ kind, from, to }: ValueRange): number {
    return this.#endsOf(kind).most[kind === 'after' ? from : to] ?? -Infinity
  }

  #endsOf(kind: ValueRange['kind']): Ends {
    const cached = this.#ends.get(kind)
    if (cached !== undefined) return cached
    this.#budget.work(VALUE_STEPS * this.numbers.length)
    this.#budget.make(2 * 8 * this.numbers.length)
    const ends = endsOf(this.numbers, kind === 'after')
    this.#ends.set(kind, ends)
    return ends
  }
}

/** The smallest and the largest number before each position, or from it on. */
interface Ends {
  readonly least: Float64Array
  readonly most: Float64Array
}

function endsOf(numbers: readonly number[], isBackwards: boolean): Ends {
  const least = new Float64Array(numbers.length + 1).fill(Infinity)
  const most = new Float64Array(numbers.length + 1).fill(-Infinity)
  for (let count = 0; count < numbers.length; count++) {
    const index = isBackwards ? numbers.length - 1 - count : count
    const [target, before] = isBackwards ? [index, index + 1] : [index + 1, index]
    const number = numbers[index] ?? Number.NaN
    const [low = Infinity, high = -Infinity] = [least[before], most[before]]
    least[target] = number < low ? number : low
    most[target] = number > high ? number : high
  }
  return { least, most }
}

/** For each number of a node, whether the ranges of two lists at it have a text in common. */
function* meetingParts(
  range: ValueRange,
  other: ValueRange,
  budget: PageBudget,
): Parts<Uint8Array> {
  const length = 2 + Math.max(range.values.numbers.at(-1) ?? 0, other.values.numbers.at(-1) ?? 0)
  yield* range.values.readPositions()
  const { firsts } = range.values.positions
  // A list without values meets no other, which is then not read.
  if (firsts.size > 0) yield* other.values.readPositions()
  const pay = new AheadPay(budget, VALUE_STEPS, firsts.size)
  budget.work(length)
  budget.make(5 * length)
  const changes = new Int32Array(length + 1)
  for (const text of firsts.keys()) {
    if (pay.ends()) yield
    const [fromA, toA] = nodesThatHave(text, range, length)
    const [fromB, toB] = nodesThatHave(text, other, length)
    const [from, to] = [Math.max(fromA, fromB), Math.min(toA, toB)]
    if (from >= to) continue
    changes[from] = (changes[from] ?? 0) + 1
    changes[to] = (changes[to] ?? 0) - 1
  }
  pay.end()
  let open = 0
  const covered = new Uint8Array(length)
  for (let number = 0; number < length; number++) {
    open += changes[number] ?? 0
    if (open > 0) covered[number] = 1
  }
  return covered
}

/** The numbers of the nodes, from and to, whose range of a list has a text. */
function nodesThatHave(
  text: string,
  { values, kind }: ValueRange,
  length: number,
): readonly [number, number] {
  const { firsts, lasts } = values.positions
  const [first, last] = [firsts.get(text), lasts.get(text)]
  if (first === undefined || last === undefined) return [0, 0]
  if (kind === 'all') return [0, length]
  return kind === 'before'
    ? [(values.numbers[first] ?? length) + 1, length]
    : [0, values.numbers[last] ?? 0]
}
