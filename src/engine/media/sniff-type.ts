import { MEDIA_EXTENSIONS, UNKNOWN_TYPE } from './media-types.ts'

/** Types that bytes tell by how they begin (WHATWG MIME Sniffing section 6), `.` for any byte. */
const SIGNATURES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBPVP/, 'image/webp'],
  [/^[^]{4}ftypavi[fs]/, 'image/avif'],
  [/^[^]{4}ftyp(?:heic|heix|hevc|mif1|msf1)/, 'image/heic'],
  [/^BM[^]{4}\0\0\0\0/, 'image/bmp'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^[^]{4}ftyp(?:M4A|M4B)/, 'audio/mp4'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^OggS\0/, 'audio/ogg'],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^fLaC/, 'audio/flac'],
  [/^%PDF-/, 'application/pdf'],
  [/^PK(?:\x03\x04|\x05\x06)/, 'application/zip'],
  [/^\x1f\x8b\x08/, 'application/gzip'],
]

/** Kinds of these that only their declaration tells apart. */
const REFINED: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\/(?:epub|vnd\.)/,
  'audio/ogg': /^video\/ogg$/,
  'video/webm': /^audio\/webm$/,
}

/** Types without a signature that no program runs. */
const INERT =
  /^(?:text\/(?:plain|csv|calendar|vcard|markdown)|application\/json|application\/x-ndjson)$/

const HEAD_BYTES = 512

/**
 * The type to store bytes under: what they are by their signature; the declared one only where it
 * has none and can do no harm. HTML, XML and scripts are bytes like any other. SVG is believed
 * where it begins as such; it is served in a sandbox.
 *
 * @param declared Value of a `Content-Type` header; empty for none.
 */
export function sniffType(bytes: Uint8Array, declared: string): string {
  const said = (declared.split(';')[0] ?? '').trim().toLowerCase()
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES))
  const found = SIGNATURES.find(([pattern]) => pattern.test(head))?.[1]
  if (found !== undefined)
    return REFINED[found]?.test(said) && Object.hasOwn(MEDIA_EXTENSIONS, said) ? said : found
  if (said === 'image/svg+xml')
    return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml|<!--|<!doctype svg|<svg[\s>])/i.test(head)
      ? said
      : UNKNOWN_TYPE
  return INERT.test(said) ? said : UNKNOWN_TYPE
}
