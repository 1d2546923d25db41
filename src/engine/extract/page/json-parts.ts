import { defineMember, isList, memberOf } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import { DEEPEST } from '../../../kernel/json-depth.ts'
import { shareEmpty, type FreshJson } from '../value/json-memory.ts'
import { NamesInParts } from '../value/wide-names.ts'
import type { Parts } from './in-turns.ts'

/** Characters of JSON that are read in one part. */
const PART = 200_000
/** Steps that a turn counts for each name of a long object. */
const NAME_STEPS = 20
const BLANK = /^[ \t\n\r]*$/

/** Counts steps that nobody pays for. */
type Unpaid = (steps: number) => void

/** The position in the text up to which it is read; the value in the end. */
export type JsonParts = Generator<number, Json, void>

/**
 * Reads JSON as `JSON.parse` does, in parts of so many characters. For runtimes without threads,
 * where a large document would hold up everything else. It takes about twice as long.
 *
 * A part ends between two members of a list or an object, wherever they are. All members up to
 * there are given to `JSON.parse` as a list or an object of their own, so that it decides what is
 * valid.
 *
 * @throws {SyntaxError} for invalid JSON, and for JSON deeper than `most`
 */
export function* jsonParts(
  text: string,
  { most = DEEPEST, part = PART, sharesEmpty = false, unpaid = () => {} }: Reading = {},
): JsonParts {
  const start = afterBlanks(text, 0)
  const first = text[start]
  if (first !== '[' && first !== '{') {
    if (first !== '"') return parsed(text)
    const [value, end] = yield* longText(text, start, part)
    if (!BLANK.test(text.slice(end))) throw invalid()
    return value
  }
  return yield* new JsonReading(text, { most, part, sharesEmpty, unpaid }).read(start)
}

interface Reading {
  /** The deepest level. */
  readonly most?: number
  /** Characters of a part. */
  readonly part?: number
  /** True if all empty lists are one, and all empty objects. */
  readonly sharesEmpty?: boolean
  /** Counts what long objects take besides their text. */
  readonly unpaid?: Unpaid
}

type How = Required<Reading>

/** A list or an object of which all later members are still to be read. */
class Open {
  readonly value: Json[] | { [name: string]: Json }
  /** True if nothing was read of it, so that it may end without a member. */
  isEmpty = true
  readonly #names = new NamesInParts()
  readonly #how: How

  constructor(bracket: string | undefined, how: How) {
    this.#how = how
    this.value = bracket === '[' ? [] : {}
  }

  /** Adds the members in a piece of the text. */
  addAll(piece: string): void {
    if (isList(this.value)) {
      const members = this.#parsed(`[${piece}]`)
      if (!isList(members) || members.length === 0) throw invalid()
      for (const member of members) this.value.push(member)
    } else {
      const members = this.#parsed(`{${piece}}`)
      const names = Object.keys(members ?? {})
      if (names.length === 0) throw invalid()
      this.#how.unpaid(NAME_STEPS * names.length)
      for (const name of names) this.add(name, memberOf(members, name) ?? null)
    }
    this.isEmpty = false
  }

  #parsed(text: string): Json {
    return this.#how.sharesEmpty ? shareEmpty(parsed(text)) : parsed(text)
  }

  add(name: string | null, member: Json): void {
    this.isEmpty = false
    if (isList(this.value)) this.value.push(member)
    else {
      if (!Object.hasOwn(this.value, name ?? '')) this.#names.add(name ?? '')
      defineMember(this.value, name ?? '', member)
    }
  }

  /** True if it has so many names that {@link end} keeps them. */
  get isWide(): boolean {
    return this.#names.isWide
  }

  /** Keeps the names after the last member. */
  end(): Parts<void> {
    return this.#names.keepFor(this.value, this.#how.unpaid)
  }
}

class JsonReading {
  readonly #text: string
  readonly #most: number
  readonly #part: number
  readonly #how: How
  readonly #open: Open[] = []
  /** Objects that have ended, whose names are still to be kept. */
  readonly #ended: Open[] = []
  #position = 0
  /** By the level in the current window: where a list or an object begins, and its last comma. */
  readonly #starts: number[] = []
  readonly #commas: number[] = []

  constructor(text: string, how: How) {
    this.#text = text
    this.#most = how.most
    this.#part = how.part
    this.#how = how
  }

  *read(start: number): JsonParts {
    const root = this.#enter(null, start)
    let before = 0
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      const limit = Math.min(this.#position + this.#part, this.#text.length)
      const { end, level } = this.#scan(limit)
      if (end < limit) this.#close(open, end)
      else {
        if (limit === this.#text.length) throw invalid()
        this.#takeWindow(open, level)
        if (limit - this.#position > this.#part / 2) yield* this.#readLong()
      }
      yield* this.#endWide()
      if (this.#position - before < this.#part / 2) continue
      yield this.#position
      before = this.#position
    }
    if (!BLANK.test(this.#text.slice(this.#position))) throw invalid()
    return root.value
  }

  /**
   * Looks for the end of the innermost open list or object. `end` is its bracket, or the limit, and
   * `level` the number of those that are open there and begin after the position.
   */
  #scan(limit: number): { readonly end: number; readonly level: number } {
    const text = this.#text
    const starts = this.#starts
    const commas = this.#commas
    const deepest = this.#most - this.#open.length
    let level = 0
    commas[0] = -1
    for (let position = this.#position; position < limit; position++) {
      const code = text.charCodeAt(position)
      if (code === 0x22) {
        for (position++; position < limit; position++) {
          const inner = text.charCodeAt(position)
          if (inner === 0x22) break
          if (inner === 0x5c) position++
        }
      } else if (code === 0x2c) commas[level] = position
      else if (code === 0x5b || code === 0x7b) {
        if (++level > deepest) throw invalid()
        starts[level] = position
        commas[level] = -1
      } else if (code === 0x5d || code === 0x7d) {
        if (level === 0) return { end: position, level }
        level--
      }
    }
    return { end: limit, level }
  }

  /** Takes all members that end before a window does, and enters the lists and objects that do not. */
  #takeWindow(outermost: Open, levels: number): void {
    let open = outermost
    for (let level = 0; level <= levels; level++) {
      const comma = this.#commas[level] ?? -1
      if (comma !== -1) {
        open.addAll(this.#text.slice(this.#position, comma))
        this.#position = comma + 1
      }
      if (level === levels) return
      const start = this.#starts[level + 1] ?? 0
      const before = this.#text.slice(this.#position, start)
      open = this.#enter(isList(open.value) ? demandBlank(before) : nameIn(before), start)
    }
  }

  *#endWide(): Generator<number, void, void> {
    for (let open = this.#ended.pop(); open !== undefined; open = this.#ended.pop())
      for (const _ of open.end()) yield this.#position
  }

  /** Enters a list or an object, as a member of the one that it is in. */
  #enter(name: string | null, start: number): Open {
    const open = new Open(this.#text[start], this.#how)
    this.#open.at(-1)?.add(name, open.value)
    if (this.#open.push(open) > this.#most) throw invalid()
    this.#position = start + 1
    return open
  }

  /** Takes the last members of the innermost list or object, and all brackets that follow. */
  #close(open: Open, end: number): void {
    const rest = this.#text.slice(this.#position, end)
    // A comma needs a member behind it.
    if (!open.isEmpty || !BLANK.test(rest)) open.addAll(rest)
    this.#leave(end)
  }

  #leave(end: number): void {
    const open = this.#open.pop()
    if (open === undefined || this.#text[end] !== (isList(open.value) ? ']' : '}')) throw invalid()
    if (open.isWide) this.#ended.push(open)
    this.#position = end + 1
    if (this.#open.length > 0) this.#endMember()
  }

  /** After a member there is a comma, or its list or object ends. */
  #endMember(): void {
    const next = afterBlanks(this.#text, this.#position)
    if (this.#text[next] === ',') this.#position = next + 1
    else this.#leave(next)
  }

  /** Reads a member that may be longer than a part: a name, and a text or a number. */
  *#readLong(): Generator<number, void, void> {
    const open = this.#open.at(-1)
    if (open === undefined) throw invalid()
    let name: string | null = null
    let start = afterBlanks(this.#text, this.#position)
    if (open.isEmpty && /[\]}]/.test(this.#text[start] ?? '')) return this.#leave(start)
    if (!isList(open.value)) {
      if (this.#text[start] !== '"') throw invalid()
      const [text, end] = yield* longText(this.#text, start, this.#part)
      name = text
      const colon = afterBlanks(this.#text, end)
      if (this.#text[colon] !== ':') throw invalid()
      start = afterBlanks(this.#text, colon + 1)
    }
    const first = this.#text[start]
    if (first === '[' || first === '{') this.#enter(name, start)
    else {
      const [value, end] =
        first === '"' ? yield* longText(this.#text, start, this.#part) : wordAt(this.#text, start)
      open.add(name, value)
      this.#position = end
      this.#endMember()
    }
  }
}

/** Reads a text in pieces that do not end in an escape. Returns it, and where it ends. */
function* longText(
  text: string,
  start: number,
  part: number,
): Generator<number, readonly [text: string, end: number], void> {
  const pieces: string[] = []
  let from = start + 1
  for (let position = from; ;) {
    const code = text.charCodeAt(position)
    if (position >= text.length) throw invalid()
    const isEnd = code === 0x22
    if (isEnd || position - from >= part) {
      const piece = parsed(`"${text.slice(from, position)}"`)
      if (typeof piece !== 'string') throw invalid()
      pieces.push(piece)
      from = position
      if (isEnd) return [pieces.join(''), position + 1]
      yield position
    }
    position += code !== 0x5c ? 1 : text.charCodeAt(position + 1) === 0x75 ? 6 : 2
  }
}

/** Reads a number, or the word of a value. */
function wordAt(text: string, start: number): readonly [value: Json, end: number] {
  const word = /[^,\]}\s]*/y
  word.lastIndex = start
  word.test(text)
  return [parsed(text.slice(start, word.lastIndex)), word.lastIndex]
}

/** The name of a member of which the value is not read yet. */
function nameIn(text: string): string {
  let end = text.length
  while (end > 0 && BLANK.test(text[end - 1] ?? '')) end--
  if (text[end - 1] !== ':') throw invalid()
  const [name] = Object.keys(parsed(`{${text}0}`) ?? {})
  if (name === undefined) throw invalid()
  return name
}

function demandBlank(text: string): null {
  if (!BLANK.test(text)) throw invalid()
  return null
}

function afterBlanks(text: string, start: number): number {
  let position = start
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
  }
  return position
}

function invalid(): SyntaxError {
  return new SyntaxError('The text is not JSON, or too deep')
}

function parsed(text: string): FreshJson {
  const value: unknown = JSON.parse(text)
  // JSON.parse returns only JSON values; see `parseJson`.
  return value as FreshJson
}
