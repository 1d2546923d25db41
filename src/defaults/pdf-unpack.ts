/** Bytes in which a part is unpacked. */
const PIECE = 65_536

/** Whether the header of zlib is here (RFC 1950, 2.2), as pdf.js looks for it. */
export function isPacked(body: Uint8Array, from: number): boolean {
  const [method = 0, flags = 0] = [body[from], body[from + 1]]
  return (method & 15) === 8 && ((method << 8) + flags) % 31 === 0
}

/**
 * How many bytes a part has, packed or unpacked, whichever are more: up to its end, to what is
 * damaged, or to a little above `most`. Its text is what was unpacked.
 */
export async function unpackedPart(
  body: Uint8Array,
  from: number,
  most: number,
): Promise<{ readonly bytes: number; readonly text: string }> {
  const stream = new DecompressionStream('deflate')
  const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()]
  let packed = 0
  let unpacked = 0
  let text = ''
  const decoder = new TextDecoder('latin1')
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
      text += decoder.decode(value)
    }
  } catch {
    // The bytes that were unpacked until then count.
  }
  // The rest is dropped; a write that is under way ends with an error.
  void reader.cancel().catch(() => undefined)
  return { bytes: Math.max(Math.min(packed, most), unpacked), text }
}
