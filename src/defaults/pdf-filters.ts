import type { ObjectsOfStream } from './pdf-objects.ts'

/** This may stand between two words of a PDF. A filter may have so much of it. */
const GAP = '[\\0\\t\\n\\f\\r ]{0,64}'
const END = '(?=[\\0\\t\\n\\f\\r \\[\\]<>()/%]|$)'
const KEY = new RegExp(`/Filter${END}`, 'g')
/** One filter, or none. A reference could stand for any list of them. */
const PLAIN = new RegExp(
  `^/Filter${GAP}(?:/[A-Za-z0-9.]{1,64}|null|\\[${GAP}(?:/[A-Za-z0-9.]{1,64}${GAP})?\\])${END}`,
)
const NAMED = new RegExp(`/Filter${GAP}(?:\\[${GAP})?/([A-Za-z0-9.]{1,64})`, 'g')
/** The other name of the key, as pdf.js reads it. Nobody writes it but in pictures of a page. */
const SHORT_KEY = new RegExp(`/F${END}`)
const PICTURE = new RegExp(`/Subtype${GAP}/Image${END}`)
/** A part that is repeated over an area. It has no text, and its lines part no cells. */
const PATTERN = new RegExp(`/PatternType${END}`)
const SUBTYPE = new RegExp(`/Subtype${END}`, 'g')
const DATA = new RegExp(`/Subtype${GAP}/XML${END}`)
/** With these pdf.js unpacks a part at once, and not by the runtime, in turns. */
const PARAMETERS = new RegExp(`/(?:DecodeParms|DP)${END}`)
const OBJECT = /\d[\0\t\n\f\r ]+obj(?![a-z])/g
/** Filters whose output nothing here measures. Those that pdf.js does not know leave their bytes. */
const UNMEASURED = new RegExp(
  '^(?:LZW|LZWDecode|RL|RunLengthDecode|AHx|ASCIIHexDecode|A85|ASCII85Decode|BrotliDecode|' +
    'DCT|DCTDecode|JPX|JPXDecode|CCF|CCITTFaxDecode|JBIG2Decode)$',
)
/** Characters of the key of a filter and its value; and those that pieces of a file share for it. */
const MOST_OF_FILTER = 400
export const SHARED = 2_048

/**
 * Whether each filter that a piece of a file names stands alone; pictures are left out of it. What
 * is cut at its end is in the next piece.
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

/** Whether a text before a stream may begin a pattern. */
export function mayBePattern(before: string): boolean {
  return PATTERN.test(unescaped(before))
}

/** Whether a piece of a file names how the file is encrypted. */
export function isEncrypted(piece: string): boolean {
  return ENCRYPTED.test(unescaped(piece))
}

/** Filters that give nothing of bytes which do not begin as theirs do. */
const NEEDS_HEADER = /^(?:Fl|FlateDecode|DCT|DCTDecode|JPX|JPXDecode)$/
const LENGTH_KEY = new RegExp(`/Length${END}`, 'g')
const LENGTH = /\/Length[\0\t\n\f\r ]{1,64}(\d{1,9})(?![\0\t\n\f\r ]*\d)/

const FIRST_KEY = new RegExp(`/First${END}`)
const FIRST = new RegExp(`/First${END}(?:${GAP}(\\d{1,9})${END}(?!${GAP}\\d))?`, 'g')
const COUNT = new RegExp(`/N${END}(?:${GAP}(\\d{1,9})${END}(?!${GAP}\\d))?`, 'g')

/** Facts of a stream, from the dictionary before it. */
export interface StreamKind {
  /** Whether it is a picture, or a pattern, whose content is left out. */
  readonly isPicture: boolean
  /**
   * Whether it may be a part that others draw, which pdf.js reads at once, as it is not packed or
   * has parameters.
   */
  readonly isPlainForm: boolean
  /** Whether it is not packed, or has parameters. */
  readonly isPlain: boolean
  /** Objects of it and their beginning, if it may be an object stream. */
  readonly objects: ObjectsOfStream | 'unclear' | null
  /** Whether it is a font, a profile or the like, which no page draws. */
  readonly isUndrawn: boolean
  /** Whether it has the one filter whose output can be measured. */
  readonly isFlate: boolean
  /** Whether its bytes, if they are packed, are so in one way, which can be measured. */
  readonly isMeasured: boolean
  /** Whether it gives nothing once its first bytes are gone. */
  readonly needsHeader: boolean
  /** How many bytes it has, if the dictionary says so itself, and once. */
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

/** A comment goes on to the end of its line; a `%` in a string hides nothing that counts here. */
function withoutComments(text: string): string {
  return text.replaceAll(/%[^\r\n]*/g, '')
}

/** Letters of names may be written by their number (ISO 32000-2, 7.3.5). */
export function unescaped(text: string): string {
  return text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
