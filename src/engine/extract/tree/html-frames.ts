import type { Traits } from './element-traits.ts'
import { isHidden } from './html-tables.ts'
import type { OpenElements } from './open-elements.ts'
import type { ElementAttributes } from './token-sink.ts'

/** After one of these start tags, no frameset can replace the body ("frameset-ok flag"). */
const NEVER_IN_FRAMES = new Set(
  (
    'applet area body br button dd dt embed hr iframe img input keygen li listing marquee object ' +
    'pre select table textarea wbr xmp'
  ).split(' '),
)
const NOT_SPACES = /[^\t\n\f\r ]+/g

/** True if a page may still have frames in place of a body with such an element. */
export function mayHaveFrames(name: string, attributes: ElementAttributes): boolean {
  return !NEVER_IN_FRAMES.has(name) || (name === 'input' && isHidden(attributes))
}

/**
 * Handles a start tag in or after frames ("in frameset", "after frameset").
 *
 * @returns True if the content of the element is text
 */
export function openInFrames(
  open: OpenElements,
  traits: Traits,
  attributes: ElementAttributes,
): boolean {
  const { name } = traits
  const isInside = open.depth > 1
  if (name === 'noframes' || (name === 'frameset' && isInside)) open.push(traits, attributes)
  else if (name === 'frame' && isInside) open.append(traits, attributes)
  return name === 'noframes'
}

export function closeInFrames(open: OpenElements, name: string): void {
  if (name === open.currentName && (name === 'frameset' || name === 'noframes')) open.pop()
}

/** Only spaces are text there. */
export function textInFrames(open: OpenElements, text: string): void {
  const shown = open.currentName === 'noframes' ? text : text.replace(NOT_SPACES, '')
  if (shown !== '') open.text(shown)
}
