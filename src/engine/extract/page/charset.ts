import sniffHtmlEncoding from 'html-encoding-sniffer'
import { charsetLabel } from './charset-label.ts'

const utf8 = new TextDecoder('utf-8')
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const decoders = new Map<string, TextDecoder>([['utf-8', utf8]])

/**
 * Decodes a body. The encoding comes from the byte order mark, then the header's `charset`, then
 * `<meta>` or the XML declaration (HTML Standard, "encoding sniffing algorithm"). Otherwise it is
 * UTF-8 if the bytes are valid UTF-8, else what a later `<meta>` says, else windows-1252. Unknown
 * labels and broken bytes never throw.
 */
export function decodeBody(
  body: Uint8Array,
  contentType: string,
  kind: 'html' | 'xml' | 'json' | 'text',
): string {
  const label = charsetLabel(contentType)
  if (label !== undefined && /^utf-?8$/i.test(label) && body[0] !== 0xff && body[0] !== 0xfe)
    return utf8.decode(body)
  if (kind === 'json' && label === undefined) return utf8.decode(body)
  const declared = sniff(body, label, kind === 'xml')
  if (declared !== UNDECLARED) return decoderOf(declared).decode(body)
  try {
    return strictUtf8.decode(body)
  } catch {
    const late = kind === 'html' ? sniff(body, undefined, false, LATE_BYTES) : UNDECLARED
    return decoderOf(late === UNDECLARED ? 'windows-1252' : late).decode(body)
  }
}

// If nothing is declared, the sniffer returns its default. A default that no page declares makes
// this case visible.
const UNDECLARED = 'x-undeclared'

/**
 * Number of bytes in which a declaration is looked for, in a page that is not UTF-8. A browser
 * looks at 1,024 bytes, and begins again if its parser meets a declaration later.
 */
const LATE_BYTES = 100_000

function sniff(
  body: Uint8Array,
  label: string | undefined,
  xml: boolean,
  maxPrescanBytes?: number,
): string {
  const options = {
    xml,
    ...(maxPrescanBytes !== undefined && { maxPrescanBytes }),
    defaultEncoding: UNDECLARED,
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
  }
  return sniffHtmlEncoding(body, options) ?? UNDECLARED
}

// Runtimes differ in rare encodings ("x-user-defined" is missing in Node 22, "replacement"
// everywhere).
function decoderOf(name: string): TextDecoder {
  const cached = decoders.get(name)
  if (cached !== undefined) return cached
  let decoder = utf8
  try {
    decoder = new TextDecoder(name)
  } catch {
    decoder = utf8
  }
  decoders.set(name, decoder)
  return decoder
}
