import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { Parts } from '../page/in-turns.ts'

/** The names of objects that V8 takes long to list: 60 ms for 300,000 names, all in one turn. */
const wideNames = new WeakMap<object, string[]>()
/** Objects with fewer names are listed each time. */
const LEAST_NAMES = 1_000
/** Objects with more names take too long in one turn. */
const MOST_LISTED = 50_000
/** A name that is a larger number is listed like a text. */
const LARGEST_INDEX = 2 ** 32 - 2

/** The names of an object as `Object.keys` lists them, without listing them again if it has many. */
export function namesOf(object: object): readonly string[] {
  return wideNames.get(object) ?? Object.keys(object)
}

/** The values of an object as `Object.values` lists them. */
export function valuesOf(object: JsonObject): readonly Json[] {
  const names = wideNames.get(object)
  // To list 300,000 values takes 200 ms, and to read them by their names 40.
  return names?.map((name) => object[name] ?? null) ?? Object.values(object)
}

/** Keeps the names of an object with the members of another one, whose names are kept. */
export function keepNamesOf(object: object, names: readonly string[]): void {
  if (names.length >= LEAST_NAMES) wideNames.set(object, names.slice())
}

/**
 * Tells that an object gets a member. False: it has so many that their order would have to be made
 * again, which takes long.
 */
export function addsName(object: object, name: string): boolean {
  const names = wideNames.get(object)
  if (names === undefined || Object.hasOwn(object, name)) return true
  if (indexIn(name) === null) names.push(name)
  else if (names.length > MOST_LISTED) return false
  else wideNames.delete(object)
  return true
}

/** Indices that are put into order, or listed, in one part, and the steps that each of them counts. */
const AT_ONCE = 20_000
const INDEX_STEPS = 4
/** The largest number of half as many digits, in bits. */
const HALF = 65_535

/** Numbers in their order, as texts: those of 250,000 take 50 ms at once. */
function* inOrder(numbers: readonly number[], unpaid: (steps: number) => void): Parts<string[]> {
  let from = Uint32Array.from(numbers)
  let to = new Uint32Array(from.length)
  const slices = function* (): Generator<Uint32Array, void, undefined> {
    for (let start = 0; start < from.length; start += AT_ONCE) {
      const slice = from.subarray(start, start + AT_ONCE)
      yield slice
      unpaid(INDEX_STEPS * slice.length)
    }
  }
  // By the lower half of their digits, and then by the upper half.
  for (const shift of [0, 16]) {
    const next = new Uint32Array(HALF + 2)
    for (const slice of slices()) {
      for (const number of slice) {
        const after = ((number >>> shift) & HALF) + 1
        next[after] = (next[after] ?? 0) + 1
      }
      yield
    }
    for (let digits = 1; digits <= HALF; digits++)
      next[digits] = (next[digits] ?? 0) + (next[digits - 1] ?? 0)
    for (const slice of slices()) {
      for (const number of slice) {
        const digits = (number >>> shift) & HALF
        const position = next[digits] ?? 0
        to[position] = number
        next[digits] = position + 1
      }
      yield
    }
    ;[from, to] = [to, from]
  }
  const texts: string[] = []
  for (const slice of slices()) {
    for (const number of slice) texts.push(String(number))
    yield
  }
  return texts
}

/** Collects the names of an object while it is made in parts. */
export class NamesInParts {
  readonly #names: string[] = []
  readonly #indices: number[] = []

  /** Adds a name that the object does not have yet. */
  add(name: string): void {
    const index = indexIn(name)
    if (index === null) this.#names.push(name)
    else this.#indices.push(index)
  }

  /** True if the object has so many names that they are kept. */
  get isWide(): boolean {
    return this.#names.length + this.#indices.length >= LEAST_NAMES
  }

  /**
   * Keeps the names for {@link namesOf}, in parts. The object must not change after that, but for
   * {@link addsName}. `unpaid` is told the steps.
   */
  *keepFor(object: object, unpaid: (steps: number) => void): Parts<void> {
    if (!this.isWide) return
    const [names, indices] = [this.#names, this.#indices]
    // An object lists the names that are whole numbers first, and in their order.
    const sorted = indices.length === 0 ? [] : yield* inOrder(indices, unpaid)
    wideNames.set(object, sorted.length === 0 ? names : sorted.concat(names))
  }
}

/** Collects the names of an object that is made member by member, and seldom has many. */
export class NamesOfNew {
  readonly #object: object
  #members = 0
  #names: NamesInParts | null = null

  constructor(object: object) {
    this.#object = object
  }

  /** True if the object has no members. */
  get isEmpty(): boolean {
    return this.#members === 0
  }

  /** Call it before each member. */
  add(name: string): void {
    if (++this.#members < LEAST_NAMES) return
    if (this.#names === null) {
      this.#names = new NamesInParts()
      for (const before of Object.keys(this.#object)) this.#names.add(before)
    }
    if (!Object.hasOwn(this.#object, name)) this.#names.add(name)
  }

  /** The parts in which the names are kept. `null`: there are few. */
  keep(unpaid: (steps: number) => void): Parts<void> | null {
    return this.#names?.keepFor(this.#object, unpaid) ?? null
  }
}

/** The number that a name is, if an object lists it before other names. */
function indexIn(name: string): number | null {
  if (!/^\d{1,10}$/.test(name)) return null
  const index = Number(name)
  return index <= LARGEST_INDEX && String(index) === name ? index : null
}
