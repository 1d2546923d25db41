import { endFormatting } from './adoption-agency.ts'
import {
  ENDS_P,
  FORMATTING,
  HEAD,
  HEADING,
  ITEM_END,
  MARKER,
  VOID,
  type Traits,
} from './element-traits.ts'
import type { OpenElements } from './open-elements.ts'
import type { ElementAttributes } from './token-sink.ts'

/** Formatting is not reopened before these, nor before blocks and what belongs in the head. */
const WITHOUT_FORMATTING = new Set(
  'iframe noembed param rb rp rt rtc source table textarea track'.split(' '),
)

/** These have a rule of their own in a select. */
const SELECT_RULES = new Set(['hr', 'input', 'optgroup', 'option', 'select'])

/** Handles a start tag in the body ("in body"). `quirks`: whether a paragraph may contain a table. */
export function openInBody(
  open: OpenElements,
  traits: Traits,
  attributes: ElementAttributes,
  quirks: boolean,
): void {
  const { name, bits } = traits
  if (name === 'form' && open.form !== null) return
  if (name === 'li') closeItem(open, 'li', 'li')
  else if (name === 'dd' || name === 'dt') closeItem(open, 'dd', 'dt')
  if (open.openParagraphs > 0 && (bits & ENDS_P || (name === 'table' && !quirks)))
    closeParagraph(open)
  if (SELECT_RULES.has(name) && openAtSelect(open, name)) return
  if (name === 'a' && isFormattingOpen(open, 'a')) endLink(open)
  else if ((bits & (VOID | FORMATTING)) === 0) prepare(open, traits)
  if (hasFormatting(name, bits)) open.reopen()
  if (name === 'nobr' && open.inScope('nobr') !== -1) {
    endFormatting(open, open.listFormatting(), name)
    open.reopen()
  }
  if (bits & VOID) open.append(traits, attributes)
  else {
    const element = open.push(traits, attributes)
    if (name === 'form') open.form = element
  }
}

function hasFormatting(name: string, bits: number): boolean {
  return (bits & (ENDS_P | HEAD)) === 0 ? !WITHOUT_FORMATTING.has(name) : name === 'xmp'
}

/** Ends an open link, as a link cannot be in another. */
function endLink(open: OpenElements): void {
  const list = open.listFormatting()
  const link = list.lastOf('a')
  endFormatting(open, list, 'a')
  if (link === null) return
  list.remove(link)
  const position = open.indexOf(link)
  if (position !== -1) open.end(position)
}

/** Closes the open paragraph if one is in scope. */
export function closeParagraph(open: OpenElements): void {
  const position = open.inScope('p', 'button')
  if (position === -1) return
  open.popImplied('p')
  open.popTo(position)
}

function prepare(open: OpenElements, { name, bits }: Traits): void {
  switch (name) {
    case 'button': {
      const position = open.inScope('button')
      if (position !== -1) {
        open.popImplied('')
        open.popTo(position)
      }
      break
    }
    case 'rb':
    case 'rtc':
      if (open.inScope('ruby') !== -1) open.popImplied('')
      break
    case 'rp':
    case 'rt':
      if (open.inScope('ruby') !== -1) open.popImplied('rtc')
      break
    default:
      if (bits & HEADING && open.currentBits & HEADING) open.pop()
  }
}

function closeItem(open: OpenElements, first: string, second: string): void {
  const index = open.top(ITEM_END, first, second)
  const name = open.nameAt(index)
  if (name !== first && name !== second) return
  open.popImplied(name)
  open.popTo(index)
}

function isFormattingOpen(open: OpenElements, name: string): boolean {
  if (open.formatting !== null) return open.formatting.lastOf(name) !== null
  const index = open.top(MARKER, name)
  return open.nameAt(index) === name && (open.bitsAt(index) & FORMATTING) !== 0
}

/** @returns True if the tag has only closed a select */
function openAtSelect(open: OpenElements, name: string): boolean {
  const select = open.inScope('select')
  if (name === 'input' || name === 'select') open.popTo(select)
  else if (select !== -1) open.popImplied(name === 'option' ? 'optgroup' : '')
  else if (name !== 'hr' && open.currentName === 'option') open.pop()
  return name === 'select' && select !== -1
}
