import {
  BOUNDARY,
  BREAKOUT,
  FOREIGN,
  INTEGRATION,
  ITEM_END,
  MATH,
  SPECIAL,
  type Traits,
} from './element-traits.ts'
import type { OpenElements } from './open-elements.ts'
import type { ElementAttributes } from './token-sink.ts'

/** The elements of SVG and MathML that hold HTML. */
const SVG_WITH_HTML = new Set(['desc', 'foreignobject', 'title'])
const MATH_WITH_HTML = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])
const ANNOTATION = 'annotation-xml'
/** The encodings in which an annotation is HTML. */
const HTML_ENCODINGS = new Set(['text/html', 'application/xhtml+xml'])
/** A `font` with one of them is HTML. */
const FONT_ATTRIBUTES = ['color', 'face', 'size']

/**
 * True if a start tag directly inside SVG or MathML belongs there ("tree construction dispatcher").
 * Some elements of HTML end them.
 */
export function isForeign(
  open: OpenElements,
  { name, bits }: Traits,
  attributes: ElementAttributes,
): boolean {
  const around = open.current?.name ?? ''
  if (open.currentBits & INTEGRATION)
    return MATH_WITH_HTML.has(around) && (name === 'mglyph' || name === 'malignmark')
  if (name === 'svg' && around === ANNOTATION && open.currentBits & MATH) return false
  const isHtml =
    (bits & BREAKOUT) !== 0 ||
    (name === 'font' && FONT_ATTRIBUTES.some((key) => Object.hasOwn(attributes, key)))
  if (isHtml) leaveForeign(open)
  return !isHtml
}

/** The traits of an element of SVG or MathML. */
export function foreignTraits(
  name: string,
  isMath: boolean,
  attributes: ElementAttributes,
): Traits {
  const bits = isMath ? FOREIGN | MATH : FOREIGN
  const isNote = isMath && name === ANNOTATION
  const holdsHtml = isNote
    ? HTML_ENCODINGS.has(attributes['encoding']?.toLowerCase() ?? '')
    : (isMath ? MATH_WITH_HTML : SVG_WITH_HTML).has(name)
  if (!holdsHtml && !isNote) return { name, bits }
  return { name, bits: bits | SPECIAL | ITEM_END | BOUNDARY | (holdsHtml ? INTEGRATION : 0) }
}

/**
 * Handles an end tag directly inside SVG or MathML.
 *
 * @returns False if the tag is for the HTML around it
 */
export function closeForeign(open: OpenElements, name: string): boolean {
  if (name === 'p' || name === 'br') {
    leaveForeign(open)
    return false
  }
  const index = open.topForeign(name)
  if ((open.bitsAt(index) & FOREIGN) === 0) return false
  open.popTo(index)
  return true
}

/** Closes SVG and MathML up to an element in which HTML goes on. */
function leaveForeign(open: OpenElements): void {
  while ((open.currentBits & (FOREIGN | INTEGRATION)) === FOREIGN) open.pop()
}
