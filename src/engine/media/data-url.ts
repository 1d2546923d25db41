/** The content of a `data:` URL (RFC 2397, WHATWG Fetch section 6). */
export interface DataUrl {
  /** The declared type, or `text/plain` without one. */
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** True if a URL holds its own content. */
export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url)
}

/** Reads a `data:` URL. Returns `null` if it is malformed. */
export function readDataUrl(url: string): DataUrl | null {
  const comma = url.indexOf(',')
  if (comma < 0 || !isDataUrl(url)) return null
  const declared = url.slice('data:'.length, comma).trim()
  const isBase64 = /;\s*base64$/i.test(declared)
  const contentType = (isBase64 ? declared.replace(/;\s*base64$/i, '') : declared) || 'text/plain'
  const body = isBase64
    ? fromBase64(percentDecoded(url.slice(comma + 1)))
    : percentDecoded(url.slice(comma + 1))
  return body === null ? null : { contentType, body }
}

/** Returns the URL without its content, which is stored elsewhere. */
export function withoutData(url: string): string {
  const comma = url.indexOf(',')
  return comma < 0 ? url.slice(0, 100) : url.slice(0, Math.min(comma, 100))
}

function percentDecoded(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text)
  let to = 0
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index] === 0x25 ? hexOf(bytes, index + 1) : null
    bytes[to++] = code ?? bytes[index] ?? 0
    if (code !== null) index += 2
  }
  return bytes.slice(0, to)
}

function hexOf(bytes: Uint8Array, index: number): number | null {
  const digits = String.fromCharCode(bytes[index] ?? 0, bytes[index + 1] ?? 0)
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : null
}

function fromBase64(encoded: Uint8Array): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(new TextDecoder().decode(encoded))
    const bytes = new Uint8Array(binary.length)
    for (let position = 0; position < binary.length; position++)
      bytes[position] = binary.charCodeAt(position)
    return bytes
  } catch {
    return null
  }
}
