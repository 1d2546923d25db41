import type { PageBudget } from '../page/page-budget.ts'
import type { ElementAttributes } from './token-sink.ts'

/** Maximum attributes of one element. Further ones are left out. */
const MAX_ATTRIBUTES = 1_000

/** Shared by all elements without attributes; a page has many of them. */
export const NO_ATTRIBUTES: ElementAttributes = Object.freeze({})

/** The attributes of an element that has one. An object literal that is filled has room for four. */
class OneAttribute {
  [name: string]: string

  constructor(name: string, value: string) {
    this[name] = value
  }
}

/** Collects the attributes of the start tag that a reader is in. */
export class TagAttributes {
  #count = 0
  #name = ''
  #value = ''
  #several: ElementAttributes = NO_ATTRIBUTES
  #isCut = false

  /** Begins a tag. The one before may have been left in the middle. */
  clear(): void {
    this.#count = 0
  }

  /** If two attributes have the same name, the first counts. */
  add(name: string, value: string): void {
    if (this.#count >= MAX_ATTRIBUTES) {
      this.#isCut = true
      return
    }
    if (this.#count++ === 0) {
      this.#name = name
      this.#value = value
      return
    }
    if (this.#count === 2) {
      // Twice as fast as a literal with a computed name.
      this.#several = {}
      this.#several[this.#name] = this.#value
    }
    if (!Object.hasOwn(this.#several, name)) this.#several[name] = value
  }

  /** Returns the attributes of the tag. */
  all(): ElementAttributes {
    if (this.#count === 0) return NO_ATTRIBUTES
    return this.#count === 1 ? new OneAttribute(this.#name, this.#value) : this.#several
  }

  /** Records that attributes were left out. */
  noteCuts(budget: PageBudget): void {
    if (this.#isCut) budget.cut('attributes of an element', MAX_ATTRIBUTES, 'page')
  }
}
