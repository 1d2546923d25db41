import {
  BOUNDARY,
  FORMATTING,
  IMPLIED,
  MARKER,
  SPECIAL,
  TABLE_PART,
  traitsOf,
  VOID,
} from './element-traits.ts'
import { closeParagraph, isSelectPart } from './html-start-tags.ts'
import { closeInTable } from './html-tables.ts'
import type { OpenElements } from './open-elements.ts'
import { NO_ATTRIBUTES } from './token-reader.ts'

const HEADING = /^h[1-6]$/
/** An end tag of these does not only close the current element. */
const EXCEPTIONS = new Set(['body', 'html', 'head', 'form'])
const PARAGRAPH = traitsOf('p')
const BREAK = traitsOf('br')

/**
 * Handles an end tag in the body: closes its element and everything open inside it, or does
 * nothing.
 */
export function closeInBody(open: OpenElements, name: string): void {
  // Most end tags are of the element that was opened last. For nearly all names they only close it.
  if (name === open.currentName && !EXCEPTIONS.has(name)) {
    open.pop()
    return
  }
  const { bits } = traitsOf(name)
  if (isSelectPart(open) && closeInSelect(open, name, bits)) return
  if (closeInTable(open, name)) return
  if (bits & FORMATTING) closeFormatting(open, name)
  else if (name === 'p') {
    if (open.openParagraphs === 0 || open.inScope('p', 'button') === -1)
      open.append(PARAGRAPH, NO_ATTRIBUTES)
    else closeParagraph(open)
  } else if (name === 'br') open.append(BREAK, NO_ATTRIBUTES)
  else if (bits & VOID) return
  else if (name === 'form') closeForm(open)
  else if (HEADING.test(name)) closeHeading(open)
  else if (name === 'li') close(open, name, open.inScope('li', 'ol', 'ul'))
  else if (name === 'dd' || name === 'dt') close(open, name, open.inScope(name))
  else if (bits & SPECIAL && !(bits & IMPLIED)) close(open, '', open.inScope(name))
  else closeOther(open, name)
}

function close(open: OpenElements, except: string, position: number): void {
  if (position === -1) return
  open.popImplied(except)
  open.popTo(position)
}

/** "Any other end tag". */
function closeOther(open: OpenElements, name: string): void {
  for (let index = open.depth - 1; index >= 0; index--) {
    if (open.nameAt(index) === name) {
      close(open, name, index)
      return
    }
    if (open.bitsAt(index) & SPECIAL) return
  }
}

function closeFormatting(open: OpenElements, name: string): void {
  let crossed = 0
  for (let index = open.depth - 1; index >= 0; index--) {
    const bits = open.bitsAt(index)
    if (open.nameAt(index) === name) {
      if (crossed & (FORMATTING | SPECIAL)) open.misnested = true
      open.popTo(index)
      return
    }
    if (bits & (MARKER | BOUNDARY)) return
    crossed |= bits
  }
}

function closeHeading(open: OpenElements): void {
  for (let index = open.depth - 1; index >= 0; index--) {
    if (HEADING.test(open.nameAt(index))) {
      close(open, '', index)
      return
    }
    if (open.bitsAt(index) & BOUNDARY) return
  }
}

function closeForm(open: OpenElements): void {
  if (!open.formOpen) return
  open.formOpen = false
  const position = open.inScope('form')
  if (position === -1) return
  open.popImplied('')
  // The standard removes the form from the stack and leaves its content open.
  if (open.depth - 1 !== position) open.misnested = true
  open.popTo(position)
}

function closeInSelect(open: OpenElements, name: string, bits: number): boolean {
  if (name === 'option') {
    if (open.currentName === 'option') open.pop()
  } else if (name === 'optgroup') {
    if (open.currentName === 'option' && open.nameAt(open.depth - 2) === 'optgroup') open.pop()
    if (open.currentName === 'optgroup') open.pop()
  } else if (name === 'select') open.popTo(open.inScope('select'))
  else if (bits & TABLE_PART || name === 'table') {
    open.misnested = true
    return false
  }
  return true
}
