import sniffHtmlEncoding from 'html-encoding-sniffer'

const utf8 = new TextDecoder('utf-8')
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const decoders = new Map<string, TextDecoder>([['utf-8', utf8]])

/**
 * Decodes a body. The encoding comes from the byte order mark, then the header's `charset`, then
 * `<meta>` or the XML declaration (HTML Standard, "encoding sniffing algorithm"). Otherwise it is
 * UTF-8 if the bytes are valid UTF-8, else windows-1252. Unknown labels and broken bytes never
 * throw.
 */
export function decodeBody(
  body: Uint8Array,
  contentType: string,
  kind: 'html' | 'xml' | 'json' | 'text',
): string {
  const label = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
  if (label !== undefined && /^utf-?8$/i.test(label) && body[0] !== 0xff && body[0] !== 0xfe)
    return utf8.decode(body)
  if (kind === 'json' && label === undefined) return utf8.decode(body)
  const declared = sniff(body, label, kind === 'xml')
  if (declared !== UNDECLARED) return decoderOf(declared).decode(body)
  try {
    return strictUtf8.decode(body)
  } catch {
    return decoderOf('windows-1252').decode(body)
  }
}

// If nothing is declared, the sniffer returns its default. A default that no page declares makes
// this case visible.
const UNDECLARED = 'x-undeclared'

function sniff(body: Uint8Array, label: string | undefined, xml: boolean): string {
  const options = {
    xml,
    defaultEncoding: UNDECLARED,
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
  }
  return sniffHtmlEncoding(body, options) ?? UNDECLARED
}

// Runtimes differ in rare encodings ("x-user-defined" is missing in Node 22, "replacement"
// everywhere).
function decoderOf(name: string): TextDecoder {
  const known = decoders.get(name)
  if (known !== undefined) return known
  let decoder = utf8
  try {
    decoder = new TextDecoder(name)
  } catch {
    decoder = utf8
  }
  decoders.set(name, decoder)
  return decoder
}
