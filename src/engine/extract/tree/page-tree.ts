import { isText } from 'domhandler'
import { TextParts } from '../../../kernel/text/text-parts.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { parseTree, type Tree } from './parse-tree.ts'
import { textOf } from './text-content.ts'

/** A shorter `<noscript>` asks for scripts, or loads a picture. */
const SHORTEST_NOSCRIPT = 2_000
/** A `<noscript>` is the page if it has so many times the text beside it. */
const TIMES_SHOWN = 2
const OPENING = '<noscript'
const CLOSING = '</noscript'

/**
 * Parses a page as a browser with scripts does. Some pages hold their content twice: for their
 * scripts as data, and for readers without scripts in a `<noscript>`. One that shows little else is
 * read as by a browser without scripts: the longest `<noscript>` becomes a `<div>`.
 *
 * @throws {PageTooCostly}
 */
export function parsePageTree(source: TextParts, budget: PageBudget): Tree {
  const tree = parseTree(source, false, budget)
  const hidden = longestNoscript(tree)
  if (hidden.length < SHORTEST_NOSCRIPT || tree.root === null) return tree
  const inner = parseTree(hidden, false, budget).root
  const shown = textOf(tree.root, budget).length
  if (inner === null || textOf(inner, budget).length <= TIMES_SHOWN * shown) return tree
  const text = source.toString()
  budget.work(text.length)
  const start = text.indexOf(hidden)
  const end = start + hidden.length
  const opening = text.lastIndexOf('<', start - 1)
  const isWhole =
    text.slice(opening, opening + OPENING.length).toLowerCase() === OPENING &&
    text.slice(end, end + CLOSING.length).toLowerCase() === CLOSING
  // Line ends or entities may be written otherwise than they were read.
  if (start === -1 || opening === -1 || !isWhole) return tree
  const parts = [
    `${text.slice(0, opening)}<div`,
    text.slice(opening + OPENING.length, end),
    `</div${text.slice(end + CLOSING.length)}`,
  ]
  return parseTree(new TextParts(parts), false, budget)
}

function longestNoscript({ elements }: Tree): string {
  let longest = ''
  for (const { name, children } of elements)
    if (name === 'noscript')
      for (const child of children)
        if (isText(child) && child.data.length > longest.length) longest = child.data
  return longest
}
