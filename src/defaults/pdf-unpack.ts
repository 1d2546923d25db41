/** Number of bytes that are unpacked at once. */
const PIECE = 65_536

/** True if the zlib header is here (RFC 1950, 2.2), checked as pdf.js does. */
export function isPacked(body: Uint8Array, from: number): boolean {
  const [method = 0, flags = 0] = [body[from], body[from + 1]]
  return (method & 15) === 8 && ((method << 8) + flags) % 31 === 0
}

/**
 * Returns the size of a part in bytes: the larger of packed and unpacked. It counts to the end of
 * the part, to the first damage, or to a little above `most`. `text`: the unpacked bytes.
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
  // The file continues after the part. So unpacking ends with an error here, as it does at damage.
  write().catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || Math.max(packed, unpacked) > most) break
      unpacked += value.length
      text += decoder.decode(value)
    }
  } catch {
    // The bytes that were unpacked before the error count.
  }
  // The rest is dropped. A pending write then ends with an error.
  void reader.cancel().catch(() => undefined)
  return { bytes: Math.max(Math.min(packed, most), unpacked), text }
}
