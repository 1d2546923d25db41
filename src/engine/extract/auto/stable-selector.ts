import { isTag, type Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { startMatching } from '../select/matching.ts'
import { parseSelector } from '../select/parse-selector.ts'
import { SelectorSet } from '../select/selector-set.ts'

/** Unstable classes: set by state, styling or a build tool's hash. */
const FLEETING =
  /^(?:js-|is-|has-|active|selected|current|open|closed|hidden|show|visible|first|last|odd|even|loaded|lazy\w*|col-|row-|mt?-\d|p[xytblr]?-\d|css-\w+|sc-\w+|jsx-\d+|svelte-\w+|_\w+)|\d{3,}|^[a-z]{1,2}\d*$|[^\w-]|^(?=.*\d)(?=.*[A-Z])[\w-]{6,}$/
/** Steps to parse a selector; it takes some microseconds. */
const PARSE_STEPS = 400
const PLAIN = /^[A-Za-z][\w-]{1,60}$/

/** Characters of a class list that are read. Later classes are ignored. */
const MAX_CLASSES = 2_000
/**
 * Maximum number of elements that one search for a selector may inspect over all tries. A few tries
 * are always made.
 */
const MAX_LOOKS = 20_000_000
const MAX_LOOKS_WITHIN = 1_000_000

/** Returns how many selectors may be tried on this many elements. */
export function triesOn(elements: number, looks = MAX_LOOKS): number {
  return Math.max(20, Math.floor(looks / (elements + 1)))
}

/** Returns an element's classes that are stable enough for a selector. */
export function stableClasses(element: Element): string[] {
  return (element.attribs['class'] ?? '')
    .slice(0, MAX_CLASSES)
    .split(/\s+/)
    .filter((name) => PLAIN.test(name) && !FLEETING.test(name))
}

/**
 * Returns the selectors for an element alone, the most specific first: `[itemprop=x]`, `tag.class`,
 * `.class`, `tag`.
 */
export function waysToName(element: Element): string[] {
  const { name } = element
  const ways: string[] = []
  const property = element.attribs['itemprop']
  if (property !== undefined && /^\w+$/.test(property)) ways.push(`[itemprop=${property}]`)
  const classes = stableClasses(element)
  for (const one of classes)
    ways.push(name === 'div' || name === 'span' ? `.${one}` : `${name}.${one}`)
  if (classes.length > 1)
    ways.push(
      `${name}${classes
        .slice(0, 3)
        .map((one) => `.${one}`)
        .join('')}`,
    )
  const rel = element.attribs['rel']
  if (rel === 'next' || rel === 'prev') ways.unshift(`${name}[rel=${rel}]`)
  if (isTag(element) && /^[a-z][\w-]*$/.test(name)) ways.push(name)
  return ways
}

/** Returns the elements below `scope` that match a selector. */
export function select(
  { tree, budget }: PageContent,
  css: string,
  scope: Element | null,
): readonly Element[] {
  budget.work(PARSE_STEPS)
  const set = new SelectorSet()
  set.add(parseSelector(css), true)
  return set.find(tree, scope, startMatching(budget))[0] ?? []
}

/**
 * Returns a selector whose first match below `scope` is `target`, or `null`. It tries the target
 * alone, then below a named ancestor, then by position among its siblings. The first selector that
 * fits is returned.
 */
export function selectorWithin(page: PageContent, target: Element, scope: Element): string | null {
  const ways = waysToName(target)
  let tries = triesOn((scope.endIndex ?? 0) - (scope.startIndex ?? 0), MAX_LOOKS_WITHIN)
  for (const way of ways) if (tries-- > 0 && select(page, way, scope)[0] === target) return way
  for (
    let above = target.parent;
    above !== null && isTag(above) && above !== scope;
    above = above.parent
  ) {
    if (tries <= 0) break
    for (const outer of waysToName(above))
      for (const way of ways)
        if (tries-- > 0 && select(page, `${outer} ${way}`, scope)[0] === target)
          return `${outer} ${way}`
  }
  const own = ways.at(-1)
  const { parent } = target
  if (own === undefined || parent === null || !isTag(parent)) return null
  const nth = `${own}:nth-child(${parent.children.filter(isTag).indexOf(target) + 1})`
  for (const way of parent === scope
    ? [`> ${nth}`]
    : waysToName(parent).map((outer) => `${outer} > ${nth}`))
    if (select(page, way, scope)[0] === target) return way
  return null
}

/**
 * Returns a selector for these elements of the page, or `null` if no simple one matches them.
 * `slack`: the allowed wrong matches as a share of the targets.
 */
export function selectorForAll(
  page: PageContent,
  targets: readonly Element[],
  slack: number,
): string | null {
  const [sample] = targets
  if (sample === undefined) return null
  const wanted = new Set(targets)
  let tries = triesOn(page.tree.elements.length)
  const ways = waysToName(sample).filter(
    (way) =>
      tries-- > 0 &&
      select(page, way, null).filter((element) => wanted.has(element)).length >=
        targets.length * 0.8,
  )
  const prefixes = ['']
  for (
    let above = sample.parent, depth = 0;
    above !== null && isTag(above) && depth < 6;
    above = above.parent, depth++
  ) {
    const id = above.attribs['id']
    if (id !== undefined && PLAIN.test(id) && !FLEETING.test(id)) prefixes.push(`#${id} `)
    const first = depth === 0 ? ' > ' : ' '
    if (above.name !== 'body' && above.name !== 'html')
      for (const way of waysToName(above)) prefixes.push(`${way}${first}`)
  }
  let best: string | null = null
  let bestMiss = Infinity
  for (const prefix of prefixes) {
    for (const way of ways) {
      if (tries-- <= 0) break
      const css = prefix + way
      const found = select(page, css, null)
      const right = found.filter((element) => wanted.has(element)).length
      const miss = found.length - right + (targets.length - right)
      if (miss === 0) return css
      if (miss < bestMiss) [best, bestMiss] = [css, miss]
    }
  }
  return bestMiss <= targets.length * slack ? best : null
}
