import { isTag, isText, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { BLOCK, walk } from '../tree/text-content.ts'

/** How to write a link that may contain blocks. */
export type LinkShape =
  /** The link has no blocks, or only paragraphs. It stays one link, with hard breaks between them. */
  | { readonly kind: 'whole' }
  /** The link is written in this heading, which stays a heading. */
  | { readonly kind: 'heading'; readonly heading: Element }
  /** The link contains lists, tables or the like, and is written at its first text. */
  | { readonly kind: 'start' }

const HEADING = /^h[1-6]$/
/** Blocks that are more than a paragraph. */
const STRUCTURE = new Set(
  'blockquote caption dd dir dl dt fieldset hr li menu ol option pre table td th tr ul'.split(' '),
)

/** Steps to check a node. */
const STEPS = 2

const WHOLE: LinkShape = { kind: 'whole' }
const START: LinkShape = { kind: 'start' }

/** Checks the content of a link. `isLeftOut`: elements that are not written. */
export function linkShape(
  link: Element,
  isLeftOut: (element: Element) => boolean,
  budget: PageBudget,
): LinkShape {
  // Most links contain a single text.
  if (link.children.every((child) => isText(child))) return WHOLE
  let nodes = 0
  let hasStructure = false
  let open: Element | null = null
  let heading: Element | null = null
  walk(
    link,
    (node) => {
      nodes++
      if (isText(node)) {
        if (open !== null && heading === null && node.data.trim() !== '') heading = open
        return true
      }
      if (!isTag(node)) return false
      if (isLeftOut(node)) return false
      if (HEADING.test(node.name)) open = node
      else if (STRUCTURE.has(node.name) && BLOCK.has(node.name)) hasStructure = true
      return true
    },
    (node) => {
      if (node === open) open = null
    },
  )
  budget.work(STEPS * nodes)
  if (hasStructure) return START
  return heading === null ? WHOLE : { kind: 'heading', heading }
}
