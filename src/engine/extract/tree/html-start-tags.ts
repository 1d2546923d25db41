import { ENDS_P, FORMATTING, MARKER, SPECIAL, VOID, type Traits } from './element-traits.ts'
import type { OpenElements } from './open-elements.ts'
import type { ElementAttributes } from './token-reader.ts'

const HEADING = /^h[1-6]$/

/**
 * Handles a start tag in the body ("in body", "in select"). `quirks`: whether a paragraph may
 * contain a table; `null` if the document type leaves this to a browser.
 */
export function openInBody(
  open: OpenElements,
  traits: Traits,
  attributes: ElementAttributes,
  quirks: boolean | null,
): void {
  const { name, bits } = traits
  if (isSelectPart(open) && openInSelect(open, traits, attributes)) return
  if (name === 'form' && open.formOpen) return
  if (name === 'li') closeItem(open, 'li', 'li')
  else if (name === 'dd' || name === 'dt') closeItem(open, 'dd', 'dt')
  if (open.openParagraphs > 0) {
    if (bits & ENDS_P || (name === 'table' && quirks === false)) closeParagraph(open)
    else if (name === 'table' && quirks === null && open.inScope('p', 'button') !== -1)
      open.misnested = true
  }
  if (bits & VOID) {
    open.append(traits, attributes)
    return
  }
  if (bits & FORMATTING) {
    if (name === 'a' && isFormattingOpen(open, 'a')) open.misnested = true
    else if (name === 'nobr' && open.inScope('nobr') !== -1) open.misnested = true
  } else prepare(open, name)
  open.push(traits, attributes)
}

/** Closes the open paragraph if one is in scope. */
export function closeParagraph(open: OpenElements): void {
  const position = open.inScope('p', 'button')
  if (position === -1) return
  open.popImplied('p')
  open.popTo(position)
}

/** True directly inside a select or one of its options. */
export function isSelectPart(open: OpenElements): boolean {
  const name = open.currentName
  if (name === 'select') return true
  if (name !== 'option' && name !== 'optgroup') return false
  const above = open.nameAt(open.depth - 2)
  return above === 'select' || (above === 'optgroup' && open.nameAt(open.depth - 3) === 'select')
}

function prepare(open: OpenElements, name: string): void {
  switch (name) {
    case 'form':
      open.formOpen = true
      break
    case 'button': {
      const position = open.inScope('button')
      if (position !== -1) {
        open.popImplied('')
        open.popTo(position)
      }
      break
    }
    case 'option':
    case 'optgroup':
      if (open.currentName === 'option') open.pop()
      break
    case 'rb':
    case 'rtc':
      if (open.inScope('ruby') !== -1) open.popImplied('')
      break
    case 'rp':
    case 'rt':
      if (open.inScope('ruby') !== -1) open.popImplied('rtc')
      break
    case 'plaintext':
      open.misnested = true
      break
    default:
      if (name.length === 2 && HEADING.test(name) && HEADING.test(open.currentName)) open.pop()
  }
}

function closeItem(open: OpenElements, first: string, second: string): void {
  for (let index = open.depth - 1; index >= 0; index--) {
    const name = open.nameAt(index)
    if (name === first || name === second) {
      open.popImplied(name)
      open.popTo(index)
      return
    }
    if (open.bitsAt(index) & SPECIAL && name !== 'address' && name !== 'div' && name !== 'p') return
  }
}

function isFormattingOpen(open: OpenElements, name: string): boolean {
  for (let index = open.depth - 1; index >= 0; index--) {
    if (open.nameAt(index) === name && open.bitsAt(index) & FORMATTING) return true
    if (open.bitsAt(index) & MARKER) return false
  }
  return false
}

/** @returns False if the select was closed and the tag must be read after it */
function openInSelect(open: OpenElements, traits: Traits, attributes: ElementAttributes): boolean {
  const { name } = traits
  switch (name) {
    case 'option':
    case 'optgroup':
    case 'hr':
      if (open.currentName === 'option') open.pop()
      if (name !== 'option' && open.currentName === 'optgroup') open.pop()
      if (name === 'hr') open.append(traits, attributes)
      else open.push(traits, attributes)
      return true
    case 'script':
      open.push(traits, attributes)
      return true
    case 'select':
    case 'input':
    case 'textarea':
    case 'keygen':
      open.popTo(open.inScope('select'))
      return name === 'select'
    default:
      // Newer browsers keep such content, so the full parser decides.
      open.misnested = true
      return true
  }
}
