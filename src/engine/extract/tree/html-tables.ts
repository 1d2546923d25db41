import { TABLE_CONTEXT, TABLE_PART, traitsOf, type Traits } from './element-traits.ts'
import type { OpenElements } from './open-elements.ts'
import { NO_ATTRIBUTES } from './tag-attributes.ts'
import type { ElementAttributes } from './token-sink.ts'

const BODY = traitsOf('tbody')
const ROW = traitsOf('tr')
const COLUMNS = traitsOf('colgroup')

/** These have a rule of their own in a table, even inside an element that was moved out of it. */
export const TABLE_RULES = new Set(['form', 'input', 'table'])
/** Elements that stay in a table, although they are not part of it. */
export const STAYS_IN_TABLE = new Set(['script', 'style', 'template'])

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
      const index = tableModeIndex(open)
      const isTable = (open.bitsAt(index) & TABLE_CONTEXT) !== 0
      if ((traits.bits & TABLE_PART) === 0) {
        if (!isTable) return false
      } else if (index === -1) return true
      else {
        if (isTable) open.popToContext(index)
        else {
          open.popImplied('')
          open.popTo(index)
        }
        continue
      }
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
  if (STAYS_IN_TABLE.has(name)) return 'body'
  if (name === 'input' && isHidden(attributes)) open.append(traits, attributes)
  else if (name === 'form') open.form ??= open.append(traits, attributes)
  else return 'body'
  return 'done'
}

/** True for the attributes of an `input` that nobody sees. */
export function isHidden(attributes: ElementAttributes): boolean {
  return attributes['type']?.toLowerCase() === 'hidden'
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
      return false
  }
}

/** Returns the index of the cell, caption or part of a table that is open, or -1. */
function tableModeIndex(open: OpenElements): number {
  // Parts of a table are its cells and its caption, besides those that hold only parts.
  return open.top(TABLE_CONTEXT | TABLE_PART)
}
