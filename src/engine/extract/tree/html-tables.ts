import { TABLE_CONTEXT, TABLE_PART, traitsOf, type Traits } from './element-traits.ts'
import type { OpenElements } from './open-elements.ts'
import { NO_ATTRIBUTES, type ElementAttributes } from './token-reader.ts'

const SECTION = /^t(?:body|head|foot)$/
const BODY = traitsOf('tbody')
const ROW = traitsOf('tr')
const COLUMNS = traitsOf('colgroup')

/**
 * Handles a start tag directly in a table, or of a table part ("in table", "in row", "in cell" and
 * similar).
 *
 * @returns False if the rules of the body apply
 */
export function openInTable(
  open: OpenElements,
  traits: Traits,
  attributes: ElementAttributes,
): boolean {
  for (;;) {
    if ((open.currentBits & TABLE_CONTEXT) === 0) {
      if ((traits.bits & TABLE_PART) === 0) return false
      const cell = enclosingCell(open)
      if (cell === -1) return true
      open.popImplied('')
      open.popTo(cell)
      continue
    }
    if (open.atLimit) {
      open.push(traits, attributes)
      return true
    }
    const step = openPart(open, traits, attributes)
    if (step !== 'again') return step === 'done'
  }
}

function openPart(
  open: OpenElements,
  traits: Traits,
  attributes: ElementAttributes,
): 'done' | 'again' | 'body' {
  const { name, bits } = traits
  const current = open.currentName
  const cell = name === 'td' || name === 'th'
  if (current === 'colgroup') {
    if (name === 'template') return 'body'
    if (name === 'col') open.append(traits, attributes)
    else open.pop()
    return name === 'col' ? 'done' : 'again'
  }
  if (bits & TABLE_PART) {
    if (current === 'table') {
      if (name === 'col') open.push(COLUMNS, NO_ATTRIBUTES)
      else if (cell || name === 'tr') open.push(BODY, NO_ATTRIBUTES)
      else open.push(traits, attributes)
      return name === 'col' || cell || name === 'tr' ? 'again' : 'done'
    }
    if (current === 'tr' ? cell : name === 'tr') {
      open.push(traits, attributes)
      return 'done'
    }
    if (cell) open.push(ROW, NO_ATTRIBUTES)
    else open.pop()
    return 'again'
  }
  if (name === 'table') {
    const position = open.inTableScope('table')
    open.popTo(position)
    return position === -1 ? 'body' : 'again'
  }
  if (name === 'style' || name === 'script' || name === 'template') return 'body'
  if (name === 'input' && attributes['type']?.toLowerCase() === 'hidden')
    open.append(traits, attributes)
  else if (name === 'form') {
    if (!open.formOpen) open.append(traits, attributes)
    open.formOpen = true
  } else {
    open.misnested = true
    return 'body'
  }
  return 'done'
}

/**
 * Handles an end tag in or of a table.
 *
 * @returns False if the rules of the body apply
 */
export function closeInTable(open: OpenElements, name: string): boolean {
  if (open.currentName === 'colgroup' && name !== 'col') {
    open.pop()
    if (name === 'colgroup') return true
  }
  switch (name) {
    case 'table':
    case 'tr':
    case 'td':
    case 'th':
    case 'caption':
    case 'tbody':
    case 'thead':
    case 'tfoot': {
      const position = open.inTableScope(name)
      if (position !== -1) {
        open.popImplied(name)
        open.popTo(position)
      }
      return true
    }
    case 'col':
    case 'colgroup':
    case 'body':
    case 'html':
    case 'head':
      return true
    default:
      // `</p>` and `</br>` create an element, which would have to move out of the table.
      if ((open.currentBits & TABLE_CONTEXT) !== 0 && (name === 'p' || name === 'br'))
        open.misnested = true
      return false
  }
}

function enclosingCell(open: OpenElements): number {
  for (let index = open.depth - 1; index >= 0; index--) {
    const name = open.nameAt(index)
    if (name === 'td' || name === 'th' || name === 'caption') return index
    if (name === 'table' || name === 'tr' || SECTION.test(name)) return -1
  }
  return -1
}
