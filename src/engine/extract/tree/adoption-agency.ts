import type { Element } from 'domhandler'
import { FORMATTING, SPECIAL, traitsOf } from './element-traits.ts'
import type { FormattingList } from './formatting-list.ts'
import type { OpenElements } from './open-elements.ts'

const MAX_ROUNDS = 8
/** The number of elements between formatting and block that are reopened in the block. */
const MAX_BETWEEN = 3

/**
 * Ends a formatting element that other elements were opened in ("adoption agency algorithm", HTML
 * Standard, 13.2.6.4.7): a block that is still open stays open, with the formatting inside it.
 */
export function endFormatting(open: OpenElements, list: FormattingList, name: string): void {
  const { current } = open
  if (current?.name === name && list.indexOf(current) === -1) {
    open.pop()
    return
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const formatting = list.lastOf(name)
    if (formatting === null) {
      endOther(open, name)
      return
    }
    const position = open.indexOf(formatting)
    if (position === -1) {
      list.remove(formatting)
      return
    }
    if (!open.isInScope(position)) return
    const block = firstBlockIn(open, position)
    if (block === -1 || !open.mayCopy()) {
      open.popTo(position)
      list.remove(formatting)
      return
    }
    adopt(open, list, formatting, position, block)
  }
}

/** "Any other end tag". */
export function endOther(open: OpenElements, name: string): void {
  const index = open.top(SPECIAL, name)
  if (open.nameAt(index) !== name) return
  open.popImplied(name)
  open.popTo(index)
}

/** Returns the index of the outermost block that is open in the element, or -1. */
function firstBlockIn(open: OpenElements, position: number): number {
  for (let index = position + 1; index < open.depth; index++)
    if (open.bitsAt(index) & SPECIAL) return index
  return -1
}

/** Closes `formatting` before the block at `index`, and opens a copy of it in the block. */
function adopt(
  open: OpenElements,
  list: FormattingList,
  formatting: Element,
  position: number,
  index: number,
): void {
  const block = open.elementAt(index)
  open.leaveEnded(position, index)
  let last = block
  let bookmark = list.indexOf(formatting)
  let count = 0
  for (let between = index - 1; between > position; between--) {
    const element = open.elementAt(between)
    let entry = open.bitsAt(between) & FORMATTING ? list.indexOf(element) : -1
    if (++count > MAX_BETWEEN && entry !== -1) {
      list.remove(element)
      if (entry < bookmark) bookmark--
      entry = -1
    }
    if (entry === -1) {
      open.removeAt(between)
      continue
    }
    const copy = open.copyOf(element)
    list.replace(entry, copy)
    open.replaceAt(between, copy)
    if (last === block) bookmark = entry + 1
    open.move(last, copy)
    last = copy
  }
  open.moveBelow(last, position - 1)
  const copy = open.copyOf(formatting)
  open.moveContent(block, copy)
  const former = list.indexOf(formatting)
  list.remove(formatting)
  list.insert(former < bookmark ? bookmark - 1 : bookmark, copy)
  open.removeAt(position)
  open.insertAt(open.indexOf(block) + 1, copy, traitsOf(copy.name).bits)
}
