import { defineMember } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { Pace } from '../../kernel/pace.ts'

/** About how many bytes are parsed at once. */
const PIECE = 65_536
const [QUOTE, COMMA, ESCAPE, UNICODE] = [0x22, 0x2c, 0x5c, 0x75]
const [LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
/** The first bits of the second and later bytes of a character in UTF-8. */
const [CONTINUES, CONTINUED] = [0xc0, 0x80]
const decoder = new TextDecoder()

/**
 * Parses a list or an object that `JSON.stringify` has written, in slices: a row may have tens of
 * megabytes, which would block a serving thread. In all it takes a little longer than `JSON.parse`.
 *
 * @param options `piece`: bytes that are parsed at once, more than a number has.
 * @throws {SyntaxError} for most bytes that are damaged; it does not look for each kind of damage
 */
export async function parseInSlices(
  bytes: Uint8Array,
  { pace = new Pace(), piece = PIECE }: { readonly pace?: Pace; readonly piece?: number } = {},
): Promise<Json> {
  const parser = new SliceParser(bytes, piece)
  while (!parser.advance()) {
    const rest = pace.step()
    if (rest) await rest
  }
  return parser.value
}

/** A list or an object that has not ended. For an object, with the name of its next value. */
type Open =
  | { readonly list: Json[]; readonly end: typeof END_OF_LIST }
  | { readonly object: Record<string, Json>; name: string; readonly end: typeof END_OF_OBJECT }

/**
 * Members that fit a piece are parsed at once. A longer list or object is parsed by its members,
 * and a longer text is cut into pieces.
 */
class SliceParser {
  readonly #bytes: Uint8Array
  readonly #piece: number
  readonly #open: Open[] = []
  #at = 0
  /** The start of a long text, whose end is not read yet. */
  #long: string | null = null
  /** The value, once it is complete. */
  value: Json = null

  constructor(bytes: Uint8Array, piece: number) {
    this.#bytes = bytes
    this.#piece = piece
    this.#enter()
  }

  /** Parses about one piece. True: the value is complete. */
  advance(): boolean {
    const open = this.#open.at(-1)
    if (open === undefined) return true
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new SyntaxError('Stored JSON does not end')
    if (this.#long !== null) this.#continueText(this.#long)
    else if (byte === COMMA) this.#at++
    else if (byte === open.end) this.#leave(open)
    else if (!this.#takeMembers(open)) this.#begin(open)
    return false
  }

  /** Reads as many members as fit a piece. False: the next member does not fit. */
  #takeMembers(open: Open): boolean {
    const end = this.#endOfMembers()
    if (end === this.#at) return false
    const text = this.#text(this.#at, end)
    if ('list' in open) {
      const items: readonly Json[] = JSON.parse(`[${text}]`)
      for (const item of items) open.list.push(item)
    } else {
      const members: Readonly<Record<string, Json>> = JSON.parse(`{${text}}`)
      for (const [name, value] of Object.entries(members)) defineMember(open.object, name, value)
    }
    this.#at = end
    return true
  }

  /** Finds the end of the last member that fits a piece. If none fits, it is the start. */
  #endOfMembers(): number {
    const most = this.#at + this.#piece
    let [end, depth] = [this.#at, 0]
    for (let index = this.#at; index <= most; index++) {
      const byte = this.#bytes[index]
      if (byte === QUOTE) index = this.#endOfText(index, most)
      else if (byte === LIST || byte === OBJECT) depth++
      else if (byte === END_OF_LIST || byte === END_OF_OBJECT) {
        if (depth-- === 0) return index
      } else if (byte === COMMA && depth === 0) end = index
    }
    return end
  }

  /**
   * Finds the closing quote of the text that begins at a position. If there is none up to `most`,
   * the result is greater than `most`.
   */
  #endOfText(from: number, most = this.#bytes.length): number {
    let index = from + 1
    while (index <= most && this.#bytes[index] !== QUOTE)
      index += this.#bytes[index] === ESCAPE ? 2 : 1
    return index
  }

  /** Begins a member that is longer than a piece. */
  #begin(open: Open): void {
    if ('object' in open) {
      const end = this.#endOfText(this.#at) + 1
      const name: string = JSON.parse(this.#text(this.#at, end))
      open.name = name
      this.#at = end + 1
    }
    const first = this.#bytes[this.#at]
    if (first === QUOTE) {
      this.#long = ''
      this.#at++
    } else if (first === LIST || first === OBJECT) this.#enter()
    else this.#takeScalar()
  }

  /** Reads the number, `true`, `false` or `null` after a long name. */
  #takeScalar(): void {
    const from = this.#at
    while (!ENDS_OF_SCALAR.has(this.#bytes[this.#at])) this.#at++
    const value: Json = JSON.parse(this.#text(from, this.#at))
    this.#put(value)
  }

  #enter(): void {
    this.#open.push(
      this.#bytes[this.#at++] === LIST
        ? { list: [], end: END_OF_LIST }
        : { object: {}, name: '', end: END_OF_OBJECT },
    )
  }

  #leave(open: Open): void {
    this.#at++
    this.#open.pop()
    this.#put('list' in open ? open.list : open.object)
  }

  /** Takes a piece of a long text. */
  #continueText(start: string): void {
    const { end, isWhole } = this.#endOfPiece()
    if (!isWhole && end <= this.#at) throw new SyntaxError('Stored JSON is not UTF-8')
    const piece: string = JSON.parse(`"${this.#text(this.#at, end)}"`)
    this.#at = isWhole ? end + 1 : end
    this.#long = isWhole ? null : start + piece
    if (isWhole) this.#put(start + piece)
  }

  /** End of a piece of a long text. It is never within an escape or a character. */
  #endOfPiece(): { readonly end: number; readonly isWhole: boolean } {
    const most = this.#at + this.#piece
    let index = this.#at
    while (index < most && this.#bytes[index] !== QUOTE)
      index += this.#bytes[index] !== ESCAPE ? 1 : this.#bytes[index + 1] === UNICODE ? 6 : 2
    while (((this.#bytes[index] ?? 0) & CONTINUES) === CONTINUED) index--
    return { end: index, isWhole: this.#bytes[index] === QUOTE }
  }

  #put(value: Json): void {
    const open = this.#open.at(-1)
    if (open === undefined) this.value = value
    else if ('list' in open) open.list.push(value)
    else defineMember(open.object, open.name, value)
  }

  #text(from: number, to: number): string {
    return decoder.decode(this.#bytes.subarray(from, to))
  }
}

const ENDS_OF_SCALAR: ReadonlySet<number | undefined> = new Set([
  COMMA,
  END_OF_LIST,
  END_OF_OBJECT,
  undefined,
])
