import type { Element } from 'domhandler'
import type { Parts } from '../page/in-turns.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { hasWord } from './attribute-matcher.ts'
import type { Matcher, Matching } from './matching.ts'
import type { Alternative, Selector } from './parse-selector.ts'

interface Entry {
  /** The selector's index in the set. */
  readonly index: number
  readonly matches: Matcher
}

/**
 * Entries by a property that an element must have, so that an element is tested only against
 * entries it may match.
 */
interface Buckets {
  readonly byTag: Map<string, Entry[]>
  readonly byId: Map<string, Entry[]>
  readonly byClass: { readonly name: string; readonly entries: Entry[] }[]
  readonly any: Entry[]
  readonly scope: Entry[]
}

/** A search in a tree. */
interface Search {
  readonly elements: readonly Element[]
  readonly buckets: Buckets
  readonly matches: Element[][]
  readonly matching: Matching
  /** The index of the next element, and of the last. */
  from: number
  readonly to: number
}

/** Elements that are tested in one part. */
const PART = 10_000
/** Up to this many names, compared with a class list of up to `LONG` characters, cost no steps. */
const FEW = 32
const LONG = 256

/** Several selectors that are searched in one walk over a tree. */
export class SelectorSet {
  readonly #all: boolean[] = []
  readonly #html = emptyBuckets()
  readonly #xml = emptyBuckets()

  get size(): number {
    return this.#all.length
  }

  /**
   * Adds a selector and returns its index in the result of {@link find}. `all`: every match is
   * wanted, not just the first.
   */
  add(selector: Selector, all: boolean): number {
    const index = this.#all.push(all) - 1
    for (const alternative of selector.html) put(this.#html, alternative, index)
    for (const alternative of selector.xml) put(this.#xml, alternative, index)
    return index
  }

  /**
   * Returns the matches of each selector below `scope`, or in the whole tree for `null`, in
   * document order.
   */
  find(tree: Tree, scope: Element | null, matching: Matching): readonly (readonly Element[])[] {
    const search = this.#start(tree, scope, matching)
    matching.budget.work(1 + Math.max(0, search.to - search.from))
    this.#walk(search, search.to)
    return search.matches
  }

  /** Like {@link find} in parts. */
  *findParts(
    tree: Tree,
    matching: Matching,
    scope: Element | null = null,
  ): Parts<readonly (readonly Element[])[]> {
    const search = this.#start(tree, scope, matching)
    matching.budget.workAhead(1 + Math.max(0, search.to - search.from))
    try {
      while (search.from <= search.to) {
        this.#walk(search, Math.min(search.from + PART - 1, search.to))
        matching.budget.did(PART)
        yield
      }
    } finally {
      matching.budget.did()
    }
    return search.matches
  }

  #start(tree: Tree, scope: Element | null, matching: Matching): Search {
    const buckets = tree.xml ? this.#xml : this.#html
    const matches: Element[][] = this.#all.map(() => [])
    const top = scope ?? tree.root
    matching.scope = top
    if (top !== null && buckets.scope.length > 0) this.#test(buckets.scope, top, matches, matching)
    return {
      elements: tree.elements,
      buckets,
      matches,
      matching,
      from: scope === null ? 0 : (scope.startIndex ?? 0) + 1,
      to: scope === null ? tree.elements.length - 1 : (scope.endIndex ?? -1),
    }
  }

  /** Tests the elements up to an index. */
  #walk(search: Search, to: number): void {
    const { elements, buckets, matches, matching, from } = search
    const { byTag, byId, byClass, any } = buckets
    const hasIds = byId.size > 0
    for (let index = from; index <= to; index++) {
      const element = elements[index]
      if (element === undefined) break
      const tagged = byTag.get(element.name)
      if (tagged !== undefined) this.#test(tagged, element, matches, matching)
      if (byClass.length > 0) {
        const list = element.attribs['class']
        if (list !== undefined) {
          if (byClass.length > FEW || list.length > LONG)
            matching.budget.work(byClass.length * (1 + (list.length >> 2)))
          for (const { name, entries } of byClass)
            if (list.length >= name.length && hasWord(list, name))
              this.#test(entries, element, matches, matching)
        }
      }
      if (hasIds) {
        const id = element.attribs['id']
        const named = id === undefined ? undefined : byId.get(id)
        if (named !== undefined) this.#test(named, element, matches, matching)
      }
      if (any.length > 0) this.#test(any, element, matches, matching)
    }
    search.from = to + 1
  }

  #test(
    entries: readonly Entry[],
    element: Element,
    matchLists: readonly Element[][],
    matching: Matching,
  ): void {
    matching.budget.work(entries.length)
    for (const entry of entries) {
      const matches = matchLists[entry.index]
      if (matches === undefined) continue
      const count = matches.length
      // Only the first match is wanted, or another alternative of the same selector found the
      // element.
      if (count > 0 && (this.#all[entry.index] !== true || matches[count - 1] === element)) continue
      if (entry.matches(element, matching)) matches.push(element)
    }
  }
}

function emptyBuckets(): Buckets {
  return { byTag: new Map(), byId: new Map(), byClass: [], any: [], scope: [] }
}

function put(buckets: Buckets, { key, matches }: Alternative, index: number): void {
  const entry: Entry = { index, matches }
  switch (key.kind) {
    case 'tag':
      append(buckets.byTag, key.name, entry)
      break
    case 'id':
      append(buckets.byId, key.name, entry)
      break
    case 'class': {
      const same = buckets.byClass.find((bucket) => bucket.name === key.name)
      if (same === undefined) buckets.byClass.push({ name: key.name, entries: [entry] })
      else same.entries.push(entry)
      break
    }
    case 'scope':
      buckets.scope.push(entry)
      break
    case 'any':
      buckets.any.push(entry)
  }
}

function append(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  const entries = map.get(key)
  if (entries === undefined) map.set(key, [entry])
  else entries.push(entry)
}
