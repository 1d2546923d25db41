import { imageSize, sniffType } from '../../engine/media/sniff.ts'

/** Pixels of a picture: a small file can name so many that a browser has no memory for them. */
const MOST_PIXELS = 16_000_000
const MOST_SVG = 50_000
const SVG = 'image/svg+xml'
/** What may repeat, load, move or script in an SVG, or name entities. */
const NOT_PLAIN = new RegExp(
  String.raw`<!(?!--)|<\?(?!xml\s)|<(?:[\w-]{1,40}:)?(?:use|image|feimage|filter|pattern|mask|marker|` +
    String.raw`foreignobject|script|style|set|animate\w{0,40}|a)[\s/>]|url\(|\bon\w{1,40}\s{0,40}=`,
  'i',
)

/**
 * The media type of a picture that a browser shows without danger and at once. `null` for all else.
 * Not AVIF: its size is not at a fixed position.
 *
 * @param declared Value of its `Content-Type`
 */
export function pictureType(bytes: Uint8Array, declared: string): string | null {
  const type = sniffType(bytes, declared)
  if (type === SVG) return isPlainSvg(bytes) ? type : null
  const size = imageSize(bytes, type)
  return size !== null && size.width * size.height <= MOST_PIXELS ? type : null
}

/** True for an SVG that only draws: no references, no scripts, no entities. */
function isPlainSvg(bytes: Uint8Array): boolean {
  return bytes.length <= MOST_SVG && !NOT_PLAIN.test(new TextDecoder().decode(bytes))
}
