import { defineMember } from '../../../kernel/json.ts'

/** Bytes that V8 needs for a member, and for a list or an object besides its members. */
const MEMBER_BYTES = 8
const STRUCTURE_BYTES = 48
/** Bytes that a document may hold for each of its characters. */
const HELD = 12
/** Bytes that every document may hold besides. */
const FREE = 65_536
/** Bytes that a document pays for each byte that it holds beyond that. */
const BEYOND = 4
/** Documents with fewer empty lists and objects, or a smaller share of them, keep each of them. */
const LEAST_EMPTY = 500
const LEAST_SHARE = 1 / 64

/** The one empty list and the one empty object of documents that have many. Nobody changes them. */
const NO_LIST: FreshJson[] = []
const NO_OBJECT: FreshJson = {}
Object.freeze(NO_LIST)
Object.freeze(NO_OBJECT)

/**
 * Counts from the text of a document what it holds once it is read: its commas and brackets. Those
 * inside texts count too.
 */
export class JsonCount {
  #values = 1
  #structures = 0
  #empty = 0
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
        if (endsAt(text, position + 1, code + 2)) this.#empty++
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
    const held = MEMBER_BYTES * this.values + STRUCTURE_BYTES * (this.#structures - this.#empty)
    return BEYOND * Math.max(0, held - HELD * this.#length - FREE)
  }

  /** True if all empty lists of the document should be one, and all empty objects. */
  get hasManyEmpty(): boolean {
    return this.#empty >= LEAST_EMPTY && this.#empty >= LEAST_SHARE * this.#length
  }
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
 * Makes all empty lists in a document one, and all empty objects: V8 reserves four places for each
 * object. Documents are at most 64 levels deep, so the recursion is bounded.
 */
export function shareEmpty(value: FreshJson): FreshJson {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (value.length === 0) return NO_LIST
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
