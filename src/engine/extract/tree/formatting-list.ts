import type { Element } from 'domhandler'
import { NO_ATTRIBUTES } from './tag-attributes.ts'

/** Maximum number of elements in the list. Later ones are not reopened. */
export const MAX_LISTED = 200
/**
 * From this number of entries on, groups of markers between which no element is left become one.
 * It is more than twice the elements, so that this is done rarely.
 */
const MANY_ENTRIES = 1_000
/** Elements with more attributes are taken as unequal, as comparing them takes long. */
const MAX_COMPARED = 50
/** The number of characters at the end of an attribute's value that are in its sign. */
const SIGNED = 8
/** The number of equal elements that are reopened, which the standard calls Noah's Ark. */
const MAX_EQUAL = 3

interface Entry {
  element: Element
  /** A number that is the same for equal attributes, or NaN if they are too many to be compared. */
  readonly sign: number
}

/** Markers in a row: a page may have any number of them. */
interface Markers {
  element: null
  count: number
}

/**
 * The list of active formatting elements (HTML Standard, 13.2.4.3). They are reopened if something
 * else closes them. A marker separates those of a cell or object.
 */
export class FormattingList {
  #entries: (Entry | Markers)[] = []
  /** The number of entries that are no markers. */
  #listed = 0
  #isCut = false

  get length(): number {
    return this.#entries.length
  }

  /** True if an element was left out of the list. */
  get isCut(): boolean {
    return this.#isCut
  }

  elementAt(index: number): Element | null {
    return this.#entries[index]?.element ?? null
  }

  add(element: Element): void {
    if (this.#listed >= MAX_LISTED) {
      this.#isCut = true
      return
    }
    const entry = { element, sign: signOf(element) }
    this.#dropEqual(entry)
    this.#entries.push(entry)
    this.#listed++
  }

  addMarker(count = 1): void {
    if (this.#entries.length >= MANY_ENTRIES) this.#joinMarkers()
    const last = this.#entries.at(-1)
    if (last?.element === null) last.count += count
    else this.#entries.push({ element: null, count })
  }

  /** Removes the last marker and the entries after it. */
  clearToMarker(): void {
    for (;;) {
      const last = this.#entries.pop()
      if (last === undefined) return
      if (last.element === null) {
        if (--last.count > 0) this.#entries.push(last)
        return
      }
      this.#listed--
    }
  }

  /** True if something that is open separates its formatting from that around it. */
  get isMarked(): boolean {
    return this.#entries.some(({ element }) => element === null)
  }

  /**
   * Adds the entries of a template that has ended. Its end tag removes the last marker, which is
   * that of a cell or object in it, if one is open. So the others stay, and the template's own.
   */
  addLeft(template: FormattingList): void {
    template.clearToMarker()
    this.addMarker()
    for (const entry of template.#entries)
      if (entry.element === null) this.addMarker(entry.count)
      else this.add(entry.element)
  }

  /** Returns the last element of a name behind the last marker. */
  lastOf(name: string): Element | null {
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const element = this.elementAt(index)
      if (element === null || element.name === name) return element
    }
    return null
  }

  indexOf(element: Element): number {
    let index = this.#entries.length - 1
    while (index >= 0 && this.#entries[index]?.element !== element) index--
    return index
  }

  remove(element: Element): void {
    const index = this.indexOf(element)
    if (index === -1) return
    if (index === this.#entries.length - 1) this.#entries.pop()
    else this.#entries.splice(index, 1)
    this.#listed--
  }

  insert(index: number, element: Element): void {
    this.#entries.splice(index, 0, { element, sign: signOf(element) })
    this.#listed++
  }

  /** Replaces an element by its copy. */
  replace(index: number, copy: Element): void {
    const entry = this.#entries[index]
    if (entry === undefined || entry.element === null) return
    entry.element = copy
  }

  /** Removes the earliest of the elements that equal a new one if there are three. */
  #dropEqual(added: Entry): void {
    let equal = 0
    let earliest = -1
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries[index]
      if (entry === undefined || entry.element === null) break
      if (!areEqual(entry, added)) continue
      equal++
      earliest = index
    }
    if (equal < MAX_EQUAL) return
    this.#entries.splice(earliest, 1)
    this.#listed--
  }

  #joinMarkers(): void {
    const entries: (Entry | Markers)[] = []
    for (const entry of this.#entries) {
      const last = entries.at(-1)
      if (entry.element === null && last?.element === null) last.count += entry.count
      else entries.push(entry)
    }
    this.#entries = entries
  }
}

/** Most attributes that differ have another sign, so that they need not be compared. */
function signOf({ attribs }: Element): number {
  if (attribs === NO_ATTRIBUTES) return 0
  const names = Object.keys(attribs)
  if (names.length > MAX_COMPARED) return Number.NaN
  let sign = 0
  for (const name of names) {
    const value = attribs[name] ?? ''
    let code = name.length
    for (let index = Math.max(0, value.length - SIGNED); index < value.length; index++)
      code = Math.imul(code, 31) + value.charCodeAt(index)
    // The order of attributes does not count.
    sign += code
  }
  return sign
}

function areEqual(entry: Entry, { element: { name, attribs }, sign }: Entry): boolean {
  const { element } = entry
  if (entry.sign !== sign || element.name !== name) return false
  if (element.attribs === attribs) return true
  const names = Object.keys(attribs)
  return (
    names.length === Object.keys(element.attribs).length &&
    names.every(
      (key) => Object.hasOwn(element.attribs, key) && element.attribs[key] === attribs[key],
    )
  )
}
