import type { ObjectsOfStream } from './pdf-objects.ts'

/** Maximum length of white space and comments between two words of a PDF filter. */
const GAP = '[\\0\\t\\n\\f\\r ]{0,64}'
const END = '(?=[\\0\\t\\n\\f\\r \\[\\]<>()/%]|$)'
const KEY = new RegExp(`/Filter${END}`, 'g')
/**
 * Matches no filter or one filter. A reference does not match, because it could stand for any list
 * of filters.
 */
const PLAIN = new RegExp(
  `^/Filter${GAP}(?:/[A-Za-z0-9.]{1,64}|null|\\[${GAP}(?:/[A-Za-z0-9.]{1,64}${GAP})?\\])${END}`,
)
const NAMED = new RegExp(`/Filter${GAP}(?:\\[${GAP})?/([A-Za-z0-9.]{1,64})`, 'g')
/** The short name of the key, which pdf.js also reads. It is used only in inline pictures of a page. */
const SHORT_KEY = new RegExp(`/F${END}`)
const PICTURE = new RegExp(`/Subtype${GAP}/Image${END}`)
/** A pattern, which is repeated over an area. It has no text, and its lines do not separate cells. */
const PATTERN = new RegExp(`/PatternType${END}`)
const SUBTYPE = new RegExp(`/Subtype${END}`, 'g')
const DATA = new RegExp(`/Subtype${GAP}/XML${END}`)
/**
 * With these parameters, pdf.js itself unpacks a part in one step. Without them the runtime unpacks
 * it, and yields between pieces.
 */
const PARAMETERS = new RegExp(`/(?:DecodeParms|DP)${END}`)
const OBJECT = /\d[\0\t\n\f\r ]+obj(?![a-z])/g
/**
 * Filters whose output is not measured here. Filters that pdf.js does not know leave the bytes
 * unchanged.
 */
const UNMEASURED = new RegExp(
  '^(?:LZW|LZWDecode|RL|RunLengthDecode|AHx|ASCIIHexDecode|A85|ASCII85Decode|BrotliDecode|' +
    'DCT|DCTDecode|JPX|JPXDecode|CCF|CCITTFaxDecode|JBIG2Decode)$',
)
/**
 * Maximum number of characters of a filter's key with its value. Pieces of a file overlap by this
 * much.
 */
const MOST_OF_FILTER = 400
export const SHARED = 2_048

/**
 * True if each stream in a piece of a file has at most one filter. Pictures are left out. A filter
 * that is cut at the end of the piece is in the next one.
 */
export function hasPlainFilters(piece: string, isLast: boolean): boolean {
  const text = unescaped(piece)
  const end = isLast ? text.length : text.length - MOST_OF_FILTER
  for (const { index } of text.matchAll(KEY))
    if (index < end && !PLAIN.test(text.slice(index, index + MOST_OF_FILTER))) return false
  return true
}

const FLATE = /^(?:Fl|FlateDecode)$/
const UNDRAWN = new RegExp(
  `/Length1${END}|/Alternate${END}|/Subtype${GAP}/(?:Type1C|CIDFontType0C|OpenType)${END}` +
    `|/Type${GAP}/(?:Metadata|EmbeddedFile)${END}`,
)
const ENCRYPTED = new RegExp(`/Encrypt${END}`)

/** True if a text before a stream may begin a pattern. */
export function mayBePattern(before: string): boolean {
  return PATTERN.test(unescaped(before))
}

/** True if a piece of a file says that the file is encrypted. */
export function isEncrypted(piece: string): boolean {
  return ENCRYPTED.test(unescaped(piece))
}

/** Filters that give no output if the bytes do not begin with their header. */
const NEEDS_HEADER = /^(?:Fl|FlateDecode|DCT|DCTDecode|JPX|JPXDecode)$/
const LENGTH_KEY = new RegExp(`/Length${END}`, 'g')
const LENGTH = /\/Length[\0\t\n\f\r ]{1,64}(\d{1,9})(?![\0\t\n\f\r ]*\d)/

const FIRST_KEY = new RegExp(`/First${END}`)
const FIRST = new RegExp(`/First${END}(?:${GAP}(\\d{1,9})${END}(?!${GAP}\\d))?`, 'g')
const COUNT = new RegExp(`/N${END}(?:${GAP}(\\d{1,9})${END}(?!${GAP}\\d))?`, 'g')

/** Facts of a stream, from the dictionary before it. */
export interface StreamKind {
  /** True for a picture or a pattern, whose content is left out. */
  readonly isPicture: boolean
  /**
   * True if other parts may draw it and pdf.js reads it in one step, because it is not packed or
   * has parameters.
   */
  readonly isPlainForm: boolean
  /** True if it is not packed, or has parameters. */
  readonly isPlain: boolean
  /** The number of its objects and the position of the first, if it may be an object stream. */
  readonly objects: ObjectsOfStream | 'unclear' | null
  /** True for a font, a profile or the like, which no page draws. */
  readonly isUndrawn: boolean
  /** True if its only filter is the one whose output can be measured. */
  readonly isFlate: boolean
  /** True if its bytes are not packed, or packed by one filter whose output can be measured. */
  readonly isMeasured: boolean
  /** True if it gives no output after its first bytes are removed. */
  readonly needsHeader: boolean
  /** The number of its bytes, if the dictionary states it directly and exactly once. */
  readonly length: number | null
}

/**
 * Reads the dictionary that ends before a stream.
 *
 * @param before the text before the stream, in which its object begins
 */
export function kindOfStream(before: string): StreamKind {
  const text = unescaped(withoutComments(before))
  const start = [...text.matchAll(OBJECT)].at(-1)?.index ?? null
  const dictionary = text.slice(start ?? 0)
  const isPicture = start !== null && (PICTURE.test(dictionary) || PATTERN.test(dictionary))
  const isDictionary = dictionary.trimEnd().endsWith('>>')
  const names = [...dictionary.matchAll(NAMED)].map(([, name = '']) => name)
  const hasShortKey = SHORT_KEY.test(dictionary)
  const isUnmeasured = start === null || hasShortKey || names.some((name) => UNMEASURED.test(name))
  const isFlate = names.length === 1 && FLATE.test(names[0] ?? '')
  const subtypes = [...dictionary.matchAll(SUBTYPE)].length
  const mayBeForm = subtypes > 1 || (subtypes === 1 && !DATA.test(dictionary))
  const isPlain = !isFlate || PARAMETERS.test(dictionary)
  const hasOneLength = [...dictionary.matchAll(LENGTH_KEY)].length === 1
  const length = hasOneLength ? LENGTH.exec(dictionary)?.[1] : undefined
  return {
    isPicture,
    isPlainForm: mayBeForm && isPlain,
    isPlain,
    objects: objectsOf(dictionary),
    isUndrawn: start !== null && UNDRAWN.test(dictionary),
    isFlate,
    isMeasured: !isDictionary || !isUnmeasured,
    needsHeader:
      !hasShortKey &&
      names.length > 0 &&
      names.length === [...dictionary.matchAll(KEY)].length &&
      names.every((name) => NEEDS_HEADER.test(name)),
    length: length === undefined ? null : Number(length),
  }
}

/** Only a part with both keys can be an object stream. */
function objectsOf(dictionary: string): ObjectsOfStream | 'unclear' | null {
  if (!FIRST_KEY.test(dictionary)) return null
  const [counts, firsts] = [[...dictionary.matchAll(COUNT)], [...dictionary.matchAll(FIRST)]]
  const [count, first] = [counts[0]?.[1], firsts[0]?.[1]]
  const isClear = counts.length === 1 && firsts.length === 1
  return isClear && count !== undefined && first !== undefined
    ? { count: Number(count), first: Number(first) }
    : 'unclear'
}

/** A comment extends to the end of its line. A `%` in a string hides nothing that counts here. */
function withoutComments(text: string): string {
  return text.replaceAll(/%[^\r\n]*/g, '')
}

/** Letters of names may be written by their number (ISO 32000-2, 7.3.5). */
export function unescaped(text: string): string {
  return text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
