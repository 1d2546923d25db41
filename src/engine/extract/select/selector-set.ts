import type { Element } from 'domhandler'
import type { Tree } from '../tree/parse-tree.ts'
import type { Selector } from './selector.ts'

interface Wanted {
  readonly selector: Selector
  readonly all: boolean
}

/** Several selectors looked for in one walk over a tree. */
export class SelectorSet {
  readonly #wanted: Wanted[] = []

  get size(): number {
    return this.#wanted.length
  }

  /** Adds a selector; the answer is its place in what {@link find} returns. `all`: every match is wanted, not just the first. */
  add(selector: Selector, all: boolean): number {
    this.#wanted.push({ selector, all })
    return this.#wanted.length - 1
  }

  /** The matches of each selector below `scope`, or in the whole tree for `null`, in document order. */
  find(tree: Tree, scope: Element | null): readonly (readonly Element[])[] {
    const found: Element[][] = this.#wanted.map(() => [])
    const from = scope === null ? 0 : (scope.startIndex ?? 0) + 1
    const to = scope === null ? tree.elements.length - 1 : (scope.endIndex ?? -1)
    for (let at = from; at <= to; at++) {
      const element = tree.elements[at]
      if (element === undefined) break
      for (let i = 0; i < this.#wanted.length; i++) {
        const wanted = this.#wanted[i]
        const matches = found[i]
        if (wanted === undefined || matches === undefined || (!wanted.all && matches.length > 0)) continue
        if (wanted.selector.matches(element, scope)) matches.push(element)
      }
    }
    return found
  }
}
