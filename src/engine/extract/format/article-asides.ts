import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { nameOf } from './beside.ts'
import { weightOf, type Weight } from './page-weights.ts'

const GALLERY_NAME = /(?:^|[\s_-])(?:gallery|slideshow|carousel)(?:$|[\s_-])/i
/** Matches names that describe the function of a script, and not the content of an element. */
const SCRIPT_NAME = /(?:^|\s)js-\S*/gi
/** Minimum prose beside galleries. With less, the galleries are the article. */
const LEAST_ARTICLE = 500
const FEWEST_TEASERS = 3
const MOST_TEASERS = 0.7
const LONGEST_TEASER = 500
/** Number of first elements of a teaser among which its heading is. */
const FIRST_ELEMENTS = 30
const HEADING = /^h[1-6]$/

/**
 * Leaves galleries and lists of teasers out of an article, unless little prose would be left.
 * Returns true if it left something out.
 */
export function leaveOutAsides(
  weights: readonly Weight[],
  body: Weight,
  budget: PageBudget,
): boolean {
  budget.work(FIRST_ELEMENTS * weights.length)
  const asides: Weight[] = []
  let rest = body.prose
  for (let index = 0; index < weights.length; index++) {
    const weight = weights[index]
    if (weight === undefined) continue
    if (!weight.isOut) {
      if (rest - weight.prose < LEAST_ARTICLE) continue
      if (!(isGallery(weight.element) || isTeaserList(weight, weights))) continue
      asides.push(weight)
      rest -= weight.prose
    }
    index = weight.element.endIndex ?? index
  }
  for (const weight of asides) weight.isOut = true
  return asides.length > 0
}

function isGallery(element: Element): boolean {
  return GALLERY_NAME.test(nameOf(element).replace(SCRIPT_NAME, ' '))
}

/** True if the parts of an element are short introductions to other pages, each with its link. */
function isTeaserList({ element }: Weight, weights: readonly Weight[]): boolean {
  let parts = 0
  let teasers = 0
  for (const child of element.children) {
    const weight = weightOf(weights, child)
    if (weight === null || weight.isOut || weight.text + weight.linked === 0) continue
    parts++
    if (isTeaser(weight, weights)) teasers++
  }
  return teasers >= FEWEST_TEASERS && teasers >= MOST_TEASERS * parts
}

/** True for a few lines below a heading that is a link. */
function isTeaser(weight: Weight, weights: readonly Weight[]): boolean {
  if (weight.linked === 0 || weight.text > LONGEST_TEASER) return false
  const start = weight.element.startIndex ?? 0
  const last = Math.min(weight.element.endIndex ?? -1, start + FIRST_ELEMENTS)
  for (let index = start + 1; index <= last; index++) {
    const inner = weights[index]
    if (inner !== undefined && HEADING.test(inner.element.name)) return inner.linked > inner.text
  }
  return false
}
