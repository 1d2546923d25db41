import { endFormatting, endOther } from './adoption-agency.ts'
import {
  BOUNDARY,
  FORMATTING,
  HEADING,
  IMPLIED,
  MARKER,
  SPECIAL,
  traitsOf,
  VOID,
} from './element-traits.ts'
import { closeParagraph } from './html-start-tags.ts'
import { closeInTable } from './html-tables.ts'
import type { OpenElements } from './open-elements.ts'
import { NO_ATTRIBUTES } from './tag-attributes.ts'

/** The end tags of these elements close more than the current element. */
const EXCEPTIONS = new Set(['body', 'html', 'head', 'form'])
const PARAGRAPH = traitsOf('p')
const BREAK = traitsOf('br')

/**
 * Handles an end tag in the body: closes its element and everything open inside it, or does
 * nothing.
 */
export function closeInBody(open: OpenElements, name: string): void {
  // Most end tags are of the element that was opened last. For nearly all names they only close it.
  if (name === open.currentName && !EXCEPTIONS.has(name) && !mayReopen(open)) {
    open.pop()
    return
  }
  const { bits } = traitsOf(name)
  if (closeInTable(open, name)) return
  if (bits & FORMATTING) closeFormatting(open, name)
  else if (name === 'p') {
    if (open.openParagraphs === 0 || open.inScope('p', 'button') === -1)
      open.append(PARAGRAPH, NO_ATTRIBUTES)
    else closeParagraph(open)
  } else if (name === 'br') {
    open.reopen()
    open.append(BREAK, NO_ATTRIBUTES)
  } else if (bits & VOID) return
  else if (name === 'form') closeForm(open)
  else if (bits & HEADING) closeHeading(open)
  else if (name === 'li') close(open, name, open.inScope('li', 'ol', 'ul'))
  else if (name === 'dd' || name === 'dt') close(open, name, open.inScope(name))
  else if ((bits & SPECIAL && !(bits & IMPLIED)) || name === 'dialog')
    close(open, '', open.inScope(name))
  else endOther(open, name)
}

function close(open: OpenElements, except: string, position: number): void {
  if (position === -1) return
  open.popImplied(except)
  open.popTo(position)
}

/** True if the current element is formatting, or holds it, of which there is a list. */
function mayReopen(open: OpenElements): boolean {
  return open.formatting !== null && (open.currentBits & (FORMATTING | MARKER)) !== 0
}

function closeFormatting(open: OpenElements, name: string): void {
  if (open.formatting !== null) {
    endFormatting(open, open.formatting, name)
    return
  }
  const index = open.top(MARKER | BOUNDARY, name)
  if (open.nameAt(index) !== name) return
  if (open.top(FORMATTING | SPECIAL) === index) open.popTo(index)
  else endFormatting(open, open.listFormatting(), name)
}

function closeHeading(open: OpenElements): void {
  const index = open.top(HEADING | BOUNDARY)
  if (open.bitsAt(index) & HEADING) close(open, '', index)
}

function closeForm(open: OpenElements): void {
  const { form } = open
  open.form = null
  if (form === null || !open.isOpen(form)) return
  const position = open.indexOf(form)
  if (!open.isInScope(position)) return
  open.popImplied('')
  open.end(position)
}
