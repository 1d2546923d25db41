import { MEDIA_EXTENSIONS, UNKNOWN_TYPE } from './media-types.ts'

/** Types by their first bytes (WHATWG MIME Sniffing section 6). `.` is any byte. */
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

/** Types with the same signature, which only the declared type distinguishes. */
const REFINED: Readonly<Record<string, RegExp>> = {
  'application/zip': /^application\/(?:epub|vnd\.)/,
  'audio/ogg': /^video\/ogg$/,
  'video/webm': /^audio\/webm$/,
}

/** Types without a signature that no program executes. */
const INERT =
  /^(?:text\/(?:plain|csv|calendar|vcard|markdown)|application\/json|application\/x-ndjson)$/

const HEAD_BYTES = 512

/**
 * Returns the type to store bytes under: the type of their signature, or the declared type if there
 * is no signature and the type is harmless. HTML, XML and scripts become plain bytes. SVG is
 * accepted if the bytes begin as SVG; it is served in a sandbox.
 *
 * @param declared Value of a `Content-Type` header; empty if there is no such header.
 */
export function sniffType(bytes: Uint8Array, declared: string): string {
  const declaredType = (declared.split(';')[0] ?? '').trim().toLowerCase()
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES))
  const signature = SIGNATURES.find(([pattern]) => pattern.test(head))?.[1]
  if (signature !== undefined)
    return REFINED[signature]?.test(declaredType) && Object.hasOwn(MEDIA_EXTENSIONS, declaredType)
      ? declaredType
      : signature
  if (declaredType === 'image/svg+xml')
    return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml|<!--|<!doctype svg|<svg[\s>])/i.test(head)
      ? declaredType
      : UNKNOWN_TYPE
  return INERT.test(declaredType) ? declaredType : UNKNOWN_TYPE
}

/** Size of an image in pixels. */
interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Maximum number of JPEG segments searched for the size. Profiles and thumbnails may come before
 * it.
 */
const MAX_SEGMENTS = 200

/**
 * Reads width and height from the head of a PNG, GIF, WebP or JPEG. Returns `null` for any other
 * type and for a damaged head.
 */
export function imageSize(bytes: Uint8Array, contentType: string): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = READERS[contentType]?.(view) ?? null
    return size !== null && size.width > 0 && size.height > 0 ? size : null
  } catch (error) {
    // The head is truncated before the size.
    if (error instanceof RangeError) return null
    throw error
  }
}

const READERS: Readonly<Record<string, (view: DataView) => ImageSize | null>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': readWebp,
  'image/jpeg': readJpeg,
}

function readWebp(view: DataView): ImageSize | null {
  switch (view.getUint8(15)) {
    case 0x20: // "VP8 ": lossy
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 0x4c: {
      // "VP8L": lossless
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 0x58: // "VP8X": extended
      return {
        width: 1 + view.getUint16(24, true) + (view.getUint8(26) << 16),
        height: 1 + view.getUint16(27, true) + (view.getUint8(29) << 16),
      }
    default:
      return null
  }
}

/** Walks the segments to the first frame header (SOF0–SOF15 without DHT, JPG and DAC). */
function readJpeg(view: DataView): ImageSize | null {
  let index = 2
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    if (view.getUint8(index) !== 0xff) return null
    const marker = view.getUint8(index + 1)
    if (marker === 0xff) {
      index++
      continue
    }
    const isFrame =
      marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: view.getUint16(index + 5), width: view.getUint16(index + 7) }
    if (marker === 0xda || marker === 0xd9) return null
    index += 2 + view.getUint16(index + 2)
  }
  return null
}
