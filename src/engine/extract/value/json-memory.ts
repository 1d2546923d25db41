import { defineMember } from '../../../kernel/json.ts'

/** Bytes that V8 needs for a member, and for a list or an object besides its members. */
const MEMBER_BYTES = 8
const STRUCTURE_BYTES = 48
/** Bytes that a document may hold for each of its characters. */
const HELD = 12
/** Bytes that every document may hold besides. */
const FREE = 65_536
/** Bytes that a document pays for each byte that it holds beyond that. */
const BEYOND = 10
/** Documents with fewer lists and objects to share, or a smaller share of them, keep each of them. */
const LEAST_EMPTY = 500
const LEAST_SHARE = 1 / 64

/** The one empty list and the one empty object of documents that have many. Nobody changes them. */
const NO_LIST: FreshJson[] = []
const NO_OBJECT: FreshJson = {}
Object.freeze(NO_LIST)
Object.freeze(NO_OBJECT)
/** A list of one whole number below this is one value, too: `[1]` takes 64 bytes. */
const FEW_NUMBERS = 100
const LISTS: readonly FreshJson[] = Array.from({ length: FEW_NUMBERS }, (_, number) => {
  const list = [number]
  Object.freeze(list)
  return list
})

/**
 * Counts from the text of a document what it holds once it is read: its commas and brackets. Those
 * inside texts count too.
 */
export class JsonCount {
  #values = 1
  #structures = 0
  #shared = 0
  #length = 0

  /** Counts a part of the text. */
  add(text: string, start: number, end: number): void {
    this.#length += end - start
    let commas = 0
    for (let position = start; position < end; position++) {
      const code = text.charCodeAt(position)
      if (code === 0x2c) commas++
      else if (code === 0x7b || code === 0x5b) {
        this.#structures++
        if (endsAt(text, position + 1, code + 2) || isShortList(text, position)) this.#shared++
      }
    }
    this.#values += commas
  }

  /** An estimate of the number of values. */
  get values(): number {
    return this.#values + this.#structures
  }

  /** Bytes that a document pays because it holds too many for its length. */
  get excess(): number {
    const held = MEMBER_BYTES * this.values + STRUCTURE_BYTES * (this.#structures - this.#shared)
    return BEYOND * Math.max(0, held - HELD * this.#length - FREE)
  }

  /** True if all lists and objects that {@link shareEmpty} shares should be one. */
  get hasManyEmpty(): boolean {
    return this.#shared >= LEAST_EMPTY && this.#shared >= LEAST_SHARE * this.#length
  }
}

/** True for a list of one whole number of one or two digits. */
function isShortList(text: string, start: number): boolean {
  if (text.charCodeAt(start) !== 0x5b || !isDigit(text, start + 1)) return false
  // No number begins with a zero before another digit.
  const end = isDigit(text, start + 2) ? start + 3 : start + 2
  return text.charCodeAt(end) === 0x5d
}

function isDigit(text: string, position: number): boolean {
  const code = text.charCodeAt(position)
  return code >= 0x30 && code <= 0x39
}

/** True if a bracket comes next. */
function endsAt(text: string, start: number, bracket: number): boolean {
  let position = start
  while (text.charCodeAt(position) <= 0x20) position++
  return text.charCodeAt(position) === bracket
}

/** JSON that was just read, and may still be changed. */
export type FreshJson =
  | null
  | boolean
  | number
  | string
  | FreshJson[]
  | { [name: string]: FreshJson }

/**
 * Makes all empty lists in a document one, all empty objects, and all lists of the same small
 * number: V8 reserves four places for each object, and 56 bytes for each list. Documents are at
 * most 64 levels deep, so the recursion is bounded.
 */
export function shareEmpty(value: FreshJson): FreshJson {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (value.length === 0) return NO_LIST
    const [first] = value
    // The list of -0 is written as that of 0, but it is another value.
    if (value.length === 1 && typeof first === 'number' && !Object.is(first, -0))
      return LISTS[first] ?? value
    for (const [index, member] of value.entries())
      if (typeof member === 'object' && member !== null) value[index] = shareEmpty(member)
    return value
  }
  const names = Object.keys(value)
  if (names.length === 0) return NO_OBJECT
  for (const name of names) {
    const member = value[name] ?? null
    if (typeof member !== 'object' || member === null) continue
    const shared = shareEmpty(member)
    if (shared !== member) defineMember(value, name, shared)
  }
  return value
}
