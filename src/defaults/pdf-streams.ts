import { Pace } from '../kernel/pace.ts'
import { endsDictionary, isCertain, withoutHex } from './pdf-dictionary.ts'
import { hasPlainFilters, isEncrypted, kindOfStream, mayBePattern, SHARED } from './pdf-filters.ts'
import type { StreamKind } from './pdf-filters.ts'
import { faultOfListings, numbersBefore } from './pdf-listings.ts'
import type { PdfPart } from './pdf-listings.ts'
import type { PdfText } from './pdf-objects.ts'
import { isPacked, unpackedPart } from './pdf-unpack.ts'

/**
 * Maximum number of bytes of an unpacked part of a PDF. pdf.js processes a part in one step without
 * yielding: this size takes up to 50 ms.
 */
const MOST_OF_ONE = 100 * 1_024
/** Maximum number of bytes of all parts together. Each counts as the larger of packed and unpacked. */
const MOST_OF_ALL = 16 * 1_024 * 1_024
/** The cost of a part besides its bytes. */
const PART_BYTES = 4_096
/** Number of bytes that are unpacked at once. */
const PIECE = 65_536
/** Number of bytes before a part that contain its dictionary. */
const BEFORE = 8_192

const STREAM = [...'stream'].map((letter) => letter.charCodeAt(0))
const END_STREAM = [...'endstream'].map((letter) => letter.charCodeAt(0))
const [CR, LF, SPACE] = [13, 10, 32]

/** A PDF to read, or the reason not to read it. */
export type CheckedPdf = { readonly body: Uint8Array } | { readonly refused: string }

/**
 * Checks that a PDF does not unpack to more than one thread can hold or read in time. The runtime,
 * not a script, unpacks each packed part once, and the result is dropped. Parts that are packed in
 * another way are refused. So are parts of uncertain size, and encrypted files, whose unpacked size
 * is unknown. Pictures and patterns are not drawn, so the result has empty ones, however they are
 * packed. Otherwise a page could use one as its text, and pdf.js reads all that a pattern draws in
 * one turn.
 */
export async function checkPdf(body: Uint8Array, signal: AbortSignal): Promise<CheckedPdf> {
  const pace = new Pace()
  const pdf = body.slice()
  const pictures: Range[] = []
  const parts: PdfPart[] = []
  const starts: number[] = []
  const texts: PdfText[] = []
  let left = MOST_OF_ALL
  const decoder = new TextDecoder('latin1')
  const ends = new StreamEnds(pdf)
  let before = 0
  for (;;) {
    const next = await nextStream(pdf, before, pace)
    if (next === null) break
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
    const { from, keyword } = next
    const start = Math.max(before, keyword - BEFORE)
    const text = decoder.decode(pdf.subarray(start, keyword))
    const kind = kindOfStream(text)
    const isDictionary = endsDictionary(text)
    before = from
    if (isDictionary) starts.push(from)
    let isPlain = isDictionary && !kind.isFlate
    let isSure = true
    if (isDictionary) {
      const dictionary = withoutHex(text)
      writeChanges(pdf, start, text, dictionary)
      isSure = isCertain(dictionary)
      if (!isSure) {
        if (pdf.length - from > MOST_OF_ONE || mayBePattern(text))
          return { refused: 'the size of a part of it is not certain' }
        isPlain = true
      }
    }
    const numbers = numbersBefore(text, isSure)
    if (kind.isPicture) {
      const end = endOfPicture(pdf, from, kind)
      if (end === null) return { refused: 'the end of a picture or pattern is not certain' }
      pdf.fill(0, from, end)
      pictures.push({ from: start, to: keyword })
      const bytes = kind.needsHeader ? 0 : end - from
      parts.push({ numbers, bytes, isPicture: true, isPlainForm: false, isPlain: false })
      continue
    }
    if (!kind.isMeasured) return { refused: 'a part of it is packed in a way that hides its size' }
    if (kind.objects !== null && kind.isPlain)
      return { refused: 'a part with objects is not packed, or has parameters' }
    const packed = isPacked(pdf, from)
      ? await unpackedPart(pdf, from, Math.min(MOST_OF_ONE, left))
      : { bytes: 0, text: '' }
    const size = Math.max(packed.bytes, isPlain ? plainSize(from, kind, ends) : 0)
    if (size > MOST_OF_ONE) {
      const end = kind.isUndrawn ? endOfPicture(pdf, from, kind) : null
      if (end === null)
        return { refused: `a part of it has more than ${MOST_OF_ONE} bytes, unpacked` }
      // The font or profile is left out. The text is still read.
      pdf.fill(0, from, end)
      left -= PART_BYTES
    } else {
      left -= size + PART_BYTES
      const bytes = Math.max(packed.text.length, isPlain ? size : 0)
      if (isDictionary) {
        const isPlainForm = kind.isPlainForm || !isSure
        parts.push({
          numbers,
          bytes,
          isPicture: false,
          isPlainForm,
          isPlain: kind.isPlain || !isSure,
        })
      }
      const objects = isSure ? kind.objects : 'unclear'
      if (objects !== null) texts.push({ text: packed.text, objects })
    }
    if (left < 0) return { refused: `its parts unpack to more than ${MOST_OF_ALL} bytes` }
  }
  const refused =
    (await faultOfPieces(pdf, pictures, signal, pace)) ??
    (await faultOfListings(pdf, { starts, texts, parts }, signal, pace))
  return refused === null ? { body: pdf } : { refused }
}

/** Writes the changed characters. All of them are ASCII. */
function writeChanges(bytes: Uint8Array, from: number, before: string, after: string): void {
  for (let index = 0; index < after.length; index++)
    if (after[index] !== before[index]) bytes[from + index] = after.charCodeAt(index)
}

/**
 * Maximum number of bytes of a part without filters. Other readers use its stated length, or the
 * word that ends it. Without a certain length it could extend to the end of the file.
 */
function plainSize(from: number, { length }: StreamKind, ends: StreamEnds): number {
  const rest = ends.body.length - from
  if (length === null) return rest
  const end = ends.after(from)
  return Math.min(rest, Math.max(length, end === null ? MOST_OF_ONE + 1 : end - from))
}

/** Finds the words that end streams, in order, and reads each byte once. */
class StreamEnds {
  readonly body: Uint8Array
  /** There is no such word between the last requested position and this one. */
  #next = 0

  constructor(body: Uint8Array) {
    this.body = body
  }

  /**
   * The first such word at or after a position. Positions must not decrease. `null`: there is none
   * within the size of a part.
   */
  after(from: number): number | null {
    const most = Math.min(this.body.length, from + MOST_OF_ONE + 1)
    let position = this.body.indexOf(101, Math.max(from, this.#next))
    while (position !== -1 && position < most && !isAt(this.body, position, END_STREAM))
      position = this.body.indexOf(101, position + 1)
    this.#next = position === -1 ? this.body.length : position
    return position === -1 || position >= most ? null : position
  }
}

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The end of a picture. `null`: another reader may find another end. If the picture's filter needs
 * a header, any end will do.
 */
function endOfPicture(
  body: Uint8Array,
  from: number,
  { needsHeader, length }: StreamKind,
): number | null {
  if (length !== null) {
    let end = from + length
    while (body[end] === CR || body[end] === LF) end++
    if (isAt(body, end, END_STREAM)) return from + length
  }
  if (!needsHeader) return null
  for (let index = body.indexOf(101, from); index !== -1; index = body.indexOf(101, index + 1))
    if (isAt(body, index, END_STREAM)) return beforeLine(body, index, from)
  return body.length
}

/** The end of the line before an index. */
function beforeLine(body: Uint8Array, index: number, least: number): number {
  let end = index
  while (end > least && (body[end - 1] === CR || body[end - 1] === LF)) end--
  return end
}

/**
 * The reason why a file is not read: it is encrypted, or has a stream other than a picture with
 * more than one filter.
 */
async function faultOfPieces(
  body: Uint8Array,
  pictures: readonly Range[],
  signal: AbortSignal,
  pace: Pace,
): Promise<string | null> {
  const decoder = new TextDecoder('latin1')
  let first = 0
  for (let start = 0; start < body.length; start += PIECE) {
    const end = start + PIECE + SHARED
    const piece = body.slice(start, end)
    while ((pictures[first]?.to ?? Infinity) <= start) first++
    for (let index = first; (pictures[index]?.from ?? Infinity) < end; index++) {
      const { from = 0, to = 0 } = pictures[index] ?? {}
      piece.fill(SPACE, Math.max(0, from - start), Math.max(0, to - start))
    }
    const text = decoder.decode(piece)
    if (isEncrypted(text)) return 'it is encrypted, so its unpacked size is not known'
    if (!hasPlainFilters(text, end >= body.length)) return 'a part of it is packed more than once'
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
  }
  return null
}

interface Stream {
  /** The position of the word that begins it. */
  readonly keyword: number
  /** The position of the first byte of its content. */
  readonly from: number
}

/**
 * The next stream, or `null`. Its content begins on the line after its word (ISO 32000-2, 7.3.8).
 * pdf.js ignores other text on the line of the word.
 */
async function nextStream(body: Uint8Array, from: number, pace: Pace): Promise<Stream | null> {
  let checked = from
  for (
    let position = body.indexOf(115, from);
    position !== -1;
    position = body.indexOf(115, position + 1)
  ) {
    if (isAt(body, position, STREAM) && !isAt(body, position - 3, END_STREAM)) {
      const end = position + STREAM.length
      if (!isRegular(body[end])) {
        const content = nextLine(body, end)
        return content === null ? null : { keyword: position, from: content }
      }
    }
    if (position - checked < PIECE) continue
    checked = position
    const rest = pace.step()
    if (rest) await rest
  }
  return null
}

function isAt(body: Uint8Array, position: number, word: readonly number[]): boolean {
  return word.every((byte, index) => body[position + index] === byte)
}

/** True if a byte continues the word before it (ISO 32000-2, 7.2.3). */
function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && !'\0\t\n\f\r ()<>[]{}/%'.includes(String.fromCharCode(byte))
}

function nextLine(body: Uint8Array, from: number): number | null {
  for (let position = from; position < body.length; position++) {
    if (body[position] === LF) return position + 1
    if (body[position] === CR) return body[position + 1] === LF ? position + 2 : position + 1
  }
  return null
}
