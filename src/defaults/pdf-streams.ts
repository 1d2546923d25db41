import { Pace } from '../kernel/pace.ts'
import { hasPlainFilters, kindOfStream, SHARED } from './pdf-filters.ts'

/** Most bytes that a packed part of a PDF may have, unpacked; and a picture, which is not drawn. */
const MOST_OF_ONE = 2 * 1_024 * 1_024
const MOST_OF_PICTURE = 32 * 1_024 * 1_024
/** Most bytes that all parts may have together, the larger of packed and unpacked; pictures apart. */
const MOST_OF_ALL = 16 * 1_024 * 1_024
const MOST_OF_PICTURES = 64 * 1_024 * 1_024
/** What a part counts besides its bytes. */
const PART_BYTES = 4_096
/** Bytes in which a part is unpacked. */
const PIECE = 65_536
/** Bytes before a part in which its dictionary is. */
const BEFORE = 8_192

const STREAM = [...'stream'].map((letter) => letter.charCodeAt(0))
const END_STREAM = [...'endstream'].map((letter) => letter.charCodeAt(0))
const [CR, LF] = [13, 10]

/**
 * Returns why a PDF would unpack to more than one thread can hold or read in time, or `null`. Each
 * packed part of the file is unpacked once, by the runtime and not by script, and dropped. Parts
 * that are packed in another way than this are refused, but pictures. Files that are encrypted say
 * nothing of what their parts unpack to.
 */
export async function overlongStream(
  body: Uint8Array,
  signal: AbortSignal,
): Promise<string | null> {
  const pace = new Pace()
  if (!(await areFiltersPlain(body, signal, pace))) return 'a part of it is packed more than once'
  const left = { parts: MOST_OF_ALL, pictures: MOST_OF_PICTURES }
  const decoder = new TextDecoder('latin1')
  let before = 0
  for (;;) {
    const next = await nextStream(body, before, pace)
    if (next === null) return null
    signal.throwIfAborted()
    const { from, keyword } = next
    const start = Math.max(before, keyword - BEFORE)
    const { isPicture, isMeasured } = kindOfStream(decoder.decode(body.subarray(start, keyword)))
    if (!isMeasured) return 'a part of it is packed in a way that says nothing of its size'
    const kind = isPicture ? 'pictures' : 'parts'
    const most = isPicture ? MOST_OF_PICTURE : MOST_OF_ONE
    if (isPacked(body, from)) {
      const size = await unpackedSize(body, from, Math.min(most, left[kind]))
      left[kind] -= size + PART_BYTES
      if (size > most) return `a part of it unpacks to more than ${most} bytes`
      if (left[kind] < 0)
        return `its ${kind} unpack to more than ${isPicture ? MOST_OF_PICTURES : MOST_OF_ALL} bytes`
    }
    before = from
  }
}

/** Whether no part of the file names more filters than one. */
async function areFiltersPlain(
  body: Uint8Array,
  signal: AbortSignal,
  pace: Pace,
): Promise<boolean> {
  const decoder = new TextDecoder('latin1')
  for (let start = 0; start < body.length; start += PIECE) {
    const end = start + PIECE + SHARED
    if (!hasPlainFilters(decoder.decode(body.subarray(start, end)), end >= body.length))
      return false
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
  }
  return true
}

interface Stream {
  /** The position of the word that begins it. */
  readonly keyword: number
  /** The position of the first byte of its content. */
  readonly from: number
}

/**
 * The next stream, or `null`. Its content begins on the next line (ISO 32000-2, 7.3.8), whatever
 * else the line of its word has, which pdf.js passes over.
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

/** Whether a byte goes on with the word before it (ISO 32000-2, 7.2.3). */
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

/** Whether the header of zlib is here (RFC 1950, 2.2), as pdf.js looks for it. */
function isPacked(body: Uint8Array, from: number): boolean {
  const [method = 0, flags = 0] = [body[from], body[from + 1]]
  return (method & 15) === 8 && ((method << 8) + flags) % 31 === 0
}

/**
 * How many bytes a part has, packed or unpacked, whichever are more: up to its end, to what is
 * damaged, or to a little above `most`.
 */
async function unpackedSize(body: Uint8Array, from: number, most: number): Promise<number> {
  const stream = new DecompressionStream('deflate')
  const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()]
  let packed = 0
  let unpacked = 0
  const write = async (): Promise<void> => {
    for (let start = from; start < body.length; start += PIECE) {
      await writer.write(new Uint8Array(body.subarray(start, start + PIECE)))
      packed += PIECE
    }
    await writer.close()
  }
  // The file goes on after the part, which ends the unpacking with an error, like damage.
  write().catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || Math.max(packed, unpacked) > most) break
      unpacked += value.length
    }
  } catch {
    // What was unpacked until then counts.
  }
  // The rest is dropped; a write that is under way ends with an error.
  void reader.cancel().catch(() => undefined)
  return Math.max(Math.min(packed, most), unpacked)
}
