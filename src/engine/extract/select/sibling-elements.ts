import type { Element } from 'domhandler'

/**
 * The elements with the same parent, and their positions. No map of them is made: above a few
 * thousand elements, a look into a map takes many times as long as a look into a list.
 */
export class SiblingElements {
  readonly #elements: readonly Element[]
  readonly #ofType: readonly number[]
  /** For each tag, how many of the elements have it. */
  readonly #counts = new Map<string, number>()
  /** Index of the element that was asked for last. */
  #last = 0

  /** `elements`: all with this parent, in document order. */
  constructor(elements: readonly Element[]) {
    this.#elements = elements
    this.#ofType = elements.map(({ name }) => {
      const position = (this.#counts.get(name) ?? 0) + 1
      this.#counts.set(name, position)
      return position
    })
  }

  /** How many elements there are. */
  get count(): number {
    return this.#elements.length
  }

  /** The position of an element, from 1. */
  positionOf(element: Element): number {
    return this.#indexOf(element) + 1
  }

  /** The position of an element among those with its tag, from 1. */
  positionOfType(element: Element): number {
    return this.#ofType[this.#indexOf(element)] ?? 1
  }

  /** How many elements have the tag of this one. */
  countOfType({ name }: Element): number {
    return this.#counts.get(name) ?? 1
  }

  // Elements mostly come in document order: the next one is the same, or the one after it.
  #indexOf(element: Element): number {
    if (this.#elements[this.#last] === element) return this.#last
    if (this.#elements[this.#last + 1] === element) return ++this.#last
    const sought = element.startIndex ?? 0
    let [low, high] = [0, this.#elements.length - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#elements[middle]?.startIndex ?? 0) < sought) low = middle + 1
      else high = middle
    }
    this.#last = low
    return low
  }
}
