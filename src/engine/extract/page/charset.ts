import sniffHtmlEncoding from 'html-encoding-sniffer'
import { TextParts } from '../../../kernel/text/text-parts.ts'
import { charsetLabel } from './charset-label.ts'

const utf8 = new TextDecoder('utf-8')
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
/** The decoder for later parts of a text. There a byte order mark is an ordinary character. */
const furtherUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const strictFurtherUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoders = new Map<string, TextDecoder>([['utf-8', utf8]])

/** The kind of text that a body is read as. */
type BodyKind = 'html' | 'xml' | 'json' | 'text'

/**
 * Maximum number of bytes of UTF-8 in a part. It is at most 120 KB as a string; longer ones are
 * slow to make.
 */
const PART = 60_000

/**
 * Decodes a body. The encoding comes from the byte order mark, then the header's `charset`, then
 * `<meta>` or the XML declaration (HTML Standard, "encoding sniffing algorithm"). Otherwise it is
 * UTF-8 if the bytes are valid UTF-8, else the encoding of a later `<meta>`, else windows-1252.
 * Unknown labels and broken bytes never throw. HTML in UTF-8 is decoded in parts.
 */
export function decodeBody(body: Uint8Array, contentType: string, kind: BodyKind): TextParts {
  const label = charsetLabel(contentType)
  if (label !== undefined && /^utf-?8$/i.test(label) && body[0] !== 0xff && body[0] !== 0xfe)
    return decodeUtf8(body, kind, utf8, furtherUtf8)
  if (kind === 'json' && label === undefined) return new TextParts([utf8.decode(body)])
  const declared = sniff(body, label, kind === 'xml')
  if (declared !== UNDECLARED) return decodeAs(declared, body, kind)
  try {
    return decodeUtf8(body, kind, strictUtf8, strictFurtherUtf8)
  } catch {
    const late = kind === 'html' ? sniff(body, undefined, false, LATE_BYTES) : UNDECLARED
    return decodeAs(late === UNDECLARED ? 'windows-1252' : late, body, kind)
  }
}

function decodeAs(encoding: string, body: Uint8Array, kind: BodyKind): TextParts {
  const decoder = decoderOf(encoding)
  return decoder.encoding === 'utf-8'
    ? decodeUtf8(body, kind, utf8, furtherUtf8)
    : new TextParts([decoder.decode(body)])
}

/**
 * The parts end between characters, so each part can be decoded separately. Only HTML is read in
 * parts; other kinds need the whole text.
 */
function decodeUtf8(
  body: Uint8Array,
  kind: BodyKind,
  first: TextDecoder,
  further: TextDecoder,
): TextParts {
  const most = kind === 'html' ? PART : body.length
  const parts: string[] = []
  for (let start = 0; start < body.length;) {
    const end = characterBorder(body, start + most)
    parts.push((start === 0 ? first : further).decode(body.subarray(start, end)))
    start = end
  }
  return new TextParts(parts)
}

/**
 * Returns a position that does not divide a UTF-8 character: the start of the character at this
 * position.
 */
function characterBorder(body: Uint8Array, position: number): number {
  for (let start = position; start > position - 4; start--) {
    const byte = body[start]
    if (byte === undefined || byte < 0x80) return position
    if (byte >= 0xc0) return start
  }
  return position
}

// If nothing is declared, the sniffer returns its default. A default that no page declares shows
// that nothing was declared.
const UNDECLARED = 'x-undeclared'

/**
 * Number of bytes in which a declaration is looked for, in a page that is not UTF-8. A browser
 * checks 1,024 bytes, and starts again if its parser finds a declaration later.
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
