const PIECE = 64 * 1024

/**
 * The text of a sitemap's bytes, piece by piece. A gzip file (`sitemap.xml.gz`) is unpacked as far
 * as the cap and as far as it is whole, whatever its name or content type.
 */
export async function* sitemapText(body: Uint8Array, maxBytes: number): AsyncGenerator<string> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) {
    const decoder = decoderFor(body)
    for (let at = 0; at < body.byteLength; at += PIECE)
      yield decoder.decode(body.subarray(at, at + PIECE), { stream: true })
    yield decoder.decode()
    return
  }
  const reader = new Blob([new Uint8Array(body)])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader()
  let decoder: TextDecoder | null = null
  let length = 0
  try {
    while (length < maxBytes) {
      const { done, value } = await reader.read()
      if (done) break
      decoder ??= decoderFor(value)
      length += value.byteLength
      yield decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // The stream reports a damaged or cut file by a TypeError; what came before it is good.
    if (!(error instanceof TypeError)) throw error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** By byte order mark, then by the XML declaration, else UTF-8 as the protocol demands. */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  const start = String.fromCharCode(...bytes.subarray(0, 200))
  const label = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\bencoding=["']([\w.:-]+)["']/i.exec(start)?.[1]
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder() // an encoding that nobody knows
  }
}
