import type { Element } from 'domhandler'
import {
  BOUNDARY,
  FOREIGN,
  FORMATTING,
  HEADING,
  ITEM_END,
  MARKER,
  SPECIAL,
  TABLE_CONTEXT,
  TABLE_PART,
} from './element-traits.ts'

/** The bits that searches stop at. */
const SOUGHT = [
  BOUNDARY,
  SPECIAL,
  MARKER,
  FORMATTING,
  TABLE_CONTEXT,
  TABLE_PART,
  HEADING,
  ITEM_END,
] as const

/**
 * The levels of a deep tree by their names and bits, so that a search among hundreds of open
 * elements takes no longer than one among ten.
 *
 * Each level has a key. Keys grow with the levels, and leave room for levels that are inserted, so
 * that the keys of the levels above stay as they are.
 */
export class LevelIndex {
  readonly #keys: number[] = []
  readonly #html: number[] = []
  readonly #named = new Map<string, number[]>()
  readonly #foreign = new Map<string, number[]>()
  readonly #marked: readonly number[][] = SOUGHT.map(() => [])

  static of(elements: readonly Element[], bits: readonly number[]): LevelIndex {
    const levels = new LevelIndex()
    for (const [index, { name }] of elements.entries()) levels.add(index, name, bits[index] ?? 0)
    return levels
  }

  /** Adds a level at an index. @returns False if no key is left there, so that all must be renewed */
  add(index: number, name: string, bits: number): boolean {
    const keys = this.#keys
    const below = keys[index - 1] ?? 0
    const above = keys[index]
    const key = above === undefined ? below + 1 : (below + above) / 2
    if (key === below || key === above) return false
    addTo(keys, key)
    const names = this.#namesFor(bits)
    const named = names.get(name)
    if (named === undefined) names.set(name, [key])
    else addTo(named, key)
    if ((bits & FOREIGN) === 0) addTo(this.#html, key)
    if (bits === 0) return true
    for (let group = 0; group < SOUGHT.length; group++)
      if (bits & (SOUGHT[group] ?? 0)) addTo(this.#marked[group] ?? [], key)
    return true
  }

  remove(index: number, name: string, bits: number): void {
    const key = this.#keys[index] ?? 0
    removeFrom(this.#keys, key)
    removeFrom(this.#namesFor(bits).get(name) ?? [], key)
    if ((bits & FOREIGN) === 0) removeFrom(this.#html, key)
    if (bits === 0) return
    for (let group = 0; group < SOUGHT.length; group++)
      if (bits & (SOUGHT[group] ?? 0)) removeFrom(this.#marked[group] ?? [], key)
  }

  /**
   * The topmost level that has one of the bits, which are of {@link SOUGHT}, or, in HTML, one of the
   * names; or -1.
   */
  top(bits: number, first: string, second: string, third: string): number {
    let key = this.#lastNamed(first)
    if (second !== first) key = Math.max(key, this.#lastNamed(second))
    if (third !== second) key = Math.max(key, this.#lastNamed(third))
    if (bits !== 0)
      for (let group = 0; group < SOUGHT.length; group++)
        if (bits & (SOUGHT[group] ?? 0)) key = Math.max(key, lastKey(this.#marked[group]))
    return this.#indexOf(key)
  }

  /** The topmost level of HTML, or of SVG and MathML with the name. */
  topForeign(name: string): number {
    return this.#indexOf(Math.max(lastKey(this.#html), lastKey(this.#foreign.get(name))))
  }

  #namesFor(bits: number): Map<string, number[]> {
    return bits & FOREIGN ? this.#foreign : this.#named
  }

  #lastNamed(name: string): number {
    return name === '' ? 0 : lastKey(this.#named.get(name))
  }

  #indexOf(key: number): number {
    return key === 0 ? -1 : placeOf(this.#keys, key)
  }
}

/** The last of the keys, which are above 0, or 0. */
function lastKey(keys: readonly number[] | undefined): number {
  return keys === undefined || keys.length === 0 ? 0 : (keys[keys.length - 1] ?? 0)
}

/** The index of the first key that is not below another. */
function placeOf(keys: readonly number[], key: number): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] ?? 0) < key) low = middle + 1
    else high = middle
  }
  return low
}

function addTo(keys: number[], key: number): void {
  if (lastKey(keys) < key) keys.push(key)
  else keys.splice(placeOf(keys, key), 0, key)
}

function removeFrom(keys: number[], key: number): void {
  if (lastKey(keys) === key) keys.pop()
  else keys.splice(placeOf(keys, key), 1)
}
