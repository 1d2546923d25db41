import { Pace } from '../kernel/pace.ts'

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
/** Bytes before a part in which its kind is named. */
const BEFORE = 512

const STREAM = [...'stream'].map((letter) => letter.charCodeAt(0))
const IMAGE = [...'/Image'].map((letter) => letter.charCodeAt(0))
const [CR, LF] = [13, 10]

/**
 * Returns why a PDF would unpack to more than one thread can hold or read in time, or `null`. Each
 * packed part of the file is unpacked once, by the runtime and not by script, and dropped. Files
 * that are encrypted say nothing of what their parts unpack to.
 */
export async function overlongStream(
  body: Uint8Array,
  signal: AbortSignal,
): Promise<string | null> {
  const pace = new Pace()
  const left = { parts: MOST_OF_ALL, pictures: MOST_OF_PICTURES }
  for (let start = nextStream(body, 0, pace); ;) {
    const from = await start
    if (from === -1) return null
    signal.throwIfAborted()
    const isPicture = includes(body.subarray(Math.max(0, from - BEFORE), from), IMAGE)
    const kind = isPicture ? 'pictures' : 'parts'
    const most = isPicture ? MOST_OF_PICTURE : MOST_OF_ONE
    if (isPacked(body, from)) {
      const size = await unpackedSize(body, from, Math.min(most, left[kind]))
      left[kind] -= size + PART_BYTES
      if (size > most) return `a part of it unpacks to more than ${most} bytes`
      if (left[kind] < 0)
        return `its ${kind} unpack to more than ${isPicture ? MOST_OF_PICTURES : MOST_OF_ALL} bytes`
    }
    start = nextStream(body, from, pace)
  }
}

/** The place of the first byte of the next stream's content (ISO 32000-2, 7.3.8), or -1. */
async function nextStream(body: Uint8Array, from: number, pace: Pace): Promise<number> {
  let looked = from
  for (let place = body.indexOf(115, from); place !== -1; place = body.indexOf(115, place + 1)) {
    if (STREAM.every((byte, index) => body[place + index] === byte)) {
      const end = place + STREAM.length
      if (body[end] === CR) return body[end + 1] === LF ? end + 2 : end + 1
      if (body[end] === LF) return end + 1
    }
    if (place - looked < PIECE) continue
    looked = place
    const rest = pace.step()
    if (rest) await rest
  }
  return -1
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

function includes(bytes: Uint8Array, pattern: readonly number[]): boolean {
  const [first = 0] = pattern
  for (let place = bytes.indexOf(first); place !== -1; place = bytes.indexOf(first, place + 1))
    if (pattern.every((byte, index) => bytes[place + index] === byte)) return true
  return false
}
