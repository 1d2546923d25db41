import { isTag, isText, type Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { collapse } from '../tree/text-content.ts'
import { within, type Item } from './item-elements.ts'
import { HEADING } from './item-roles.ts'

/** A shorter text is not a description. */
const LEAST_TEXT = 60
/** Characters of a text that are read. */
const MOST_TEXT = 500
/** Minimum share of the items with such a text. */
const LEAST_FILLED = 0.6
/** Maximum number of elements of an item that are read. */
const MOST_BELOW = 300
/** Elements whose text is no description. */
const NO_TEXT = new Set(['a', 'button', 'label', 'option', 'script', 'style', 'noscript', 'title'])
const TAG = /^[a-z]{1,20}$/

/**
 * The description of items whose text is in no element of its own, but beside other elements, as in
 * `<b>Pen</b><br>It writes …`. `null`: most items have no such text.
 */
export function looseText(
  items: readonly Item[],
  parts: readonly (readonly Element[])[],
  budget: PageBudget,
): Field | null {
  const texts = new Map<string, string[]>()
  for (const [index, item] of items.entries()) {
    const seen = new Set<string>()
    for (const element of [item.element, ...within(item.element, budget, MOST_BELOW)]) {
      const tag = element === item.element ? '' : element.name
      if (NO_TEXT.has(tag) || HEADING.test(tag) || seen.has(tag)) continue
      if (tag !== '' && !TAG.test(tag)) continue
      const text = longText(element, budget)
      if (text === null) continue
      seen.add(tag)
      // Another column has it.
      if (parts[index]?.includes(element) === true) continue
      texts.set(tag, [...(texts.get(tag) ?? []), text])
    }
  }
  const [best] = [...texts].toSorted(([, a], [, b]) => b.length - a.length)
  if (best === undefined) return null
  const [tag, values] = best
  if (values.length < LEAST_FILLED * items.length || new Set(values).size * 2 <= values.length)
    return null
  const node = `text()[string-length(normalize-space()) >= ${LEAST_TEXT}]`
  return { xpath: tag === '' ? `./${node}` : `.//${tag}/${node}`, transform: ['collapse'] }
}

/** The first long text among an element's children, if it has other elements, too. */
function longText({ children }: Element, budget: PageBudget): string | null {
  budget.work(1 + children.length)
  if (!children.some(isTag)) return null
  for (const child of children) {
    if (!isText(child) || child.data.length < LEAST_TEXT) continue
    const text = collapse(child.data.slice(0, MOST_TEXT))
    if (text.length >= LEAST_TEXT) return text
  }
  return null
}
