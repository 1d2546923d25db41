import { isTag, type Element } from 'domhandler'
import { asNothing, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { startMatching } from '../select/matching.ts'
import { parseSelector } from '../select/parse-selector.ts'
import { SelectorSet } from '../select/selector-set.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { checkedXPath } from '../xpath/checked-xpath.ts'
import { countedWays } from './counted-items.ts'

/** Unstable classes: set by state, styling or a build tool's hash. */
const FLEETING = new RegExp(
  '^(?:(?:active|selected|current|open|closed|hidden|show|visible|first|last|odd|even|loaded)' +
    '(?:$|[-_](?:item|child|row|cell|col|column|element|tab|page|slide)$)|js-|is-|has-|' +
    String.raw`lazy\w*|col-|row-|mt?-\d|p[xytblr]?-\d|css-\w+|sc-\w+|jsx-\d+|svelte-\w+|` +
    String.raw`_\w+)|\d{3,}|^[a-z]{1,2}\d*$|[^\w-]|^(?=.*\d)(?=.*[A-Z])[\w-]{6,}$`,
)
/** Steps to parse a selector; it takes some microseconds. */
const PARSE_STEPS = 400
const PLAIN = /^[A-Za-z][\w-]{1,60}$/
/**
 * Matches a tag that a selector can contain unchanged. It is short, because a recipe accepts no
 * selector above 1,000 letters.
 */
export const PLAIN_TAG = /^[a-z][\w-]{0,60}$/
const PLAIN_PROPERTY = /^\w{1,60}$/
const LONGEST_TAG = 60
/** Maximum number of letters of a path of kinds. */
const LONGEST_PATH = 500

/** A tag in an XPath. `*` if it is too long, or contains signs with a meaning in XPath. */
export function tagInPath(name: string): string {
  return PLAIN_TAG.test(name) ? name : '*'
}

/** Number of characters of a class list that are read. Later classes are ignored. */
const MAX_CLASSES = 2_000
/**
 * Maximum number of elements that one search for a selector may inspect over all tries. The first
 * few tries are not limited.
 */
const MAX_INSPECTED = 20_000_000
const MAX_INSPECTED_WITHIN = 1_000_000
/** With more elements, one try takes several parts. */
const LARGE = 2_000

/** Returns how many selectors may be tried on this many elements. */
export function triesOn(elements: number, inspected = MAX_INSPECTED): number {
  return Math.max(20, Math.floor(inspected / (elements + 1)))
}

/**
 * Number of characters up to which a class list is read again each time, which takes a few
 * microseconds.
 */
const QUICK_CLASSES = 50
/**
 * Longer class lists are cached, because the class list of one ancestor may be read for each
 * element of a page.
 */
const classesOf = new WeakMap<Element, readonly string[]>()

/** Returns an element's classes that are stable enough for a selector. */
export function stableClasses(element: Element): readonly string[] {
  const attribute = element.attribs['class'] ?? ''
  const present = attribute.length > QUICK_CLASSES ? classesOf.get(element) : undefined
  if (present !== undefined) return present
  const classes = attribute
    .slice(0, MAX_CLASSES)
    .split(/\s+/)
    .filter((name) => PLAIN.test(name) && !FLEETING.test(name))
  if (attribute.length > QUICK_CLASSES) classesOf.set(element, classes)
  return classes
}

/** Attributes by which the tests of a site find its elements. They stay the same after a new build. */
const HOOKS = ['data-testid', 'data-test', 'data-qa', 'data-cy', 'data-ui', 'data-hook'] as const

/** The attribute by which tests of the site find an element. `null`: it has none. */
export function hookOf({
  attribs,
}: Element): { readonly name: string; readonly value: string } | null {
  for (const name of HOOKS) {
    const value = attribs[name]
    if (value !== undefined && value !== '') return { name, value }
  }
  return null
}

/**
 * Returns the selectors for an element alone, the most specific first: `[itemprop=x]`, `tag.class`,
 * `.class`, `[data-testid=x]`, `tag`.
 */
export function waysToName(element: Element): string[] {
  const { name } = element
  const tag = name.length > LONGEST_TAG ? '' : name
  const ways: string[] = []
  const property = element.attribs['itemprop']
  if (property !== undefined && PLAIN_PROPERTY.test(property)) ways.push(`[itemprop=${property}]`)
  const classes = stableClasses(element)
  for (const stableClass of classes)
    ways.push(name === 'div' || name === 'span' ? `.${stableClass}` : `${tag}.${stableClass}`)
  if (classes.length > 1)
    ways.push(
      `${tag}${classes
        .slice(0, 3)
        .map((className) => `.${className}`)
        .join('')}`,
    )
  const hook = hookOf(element)
  if (hook !== null && PLAIN.test(hook.value) && !FLEETING.test(hook.value))
    ways.push(`[${hook.name}=${hook.value}]`)
  const rel = element.attribs['rel']
  if (rel === 'next' || rel === 'prev') ways.unshift(`${tag}[rel=${rel}]`)
  if (isTag(element) && PLAIN_TAG.test(name)) ways.push(name)
  return ways
}

/** A class that a build tool made of a name and a hash: `price_x6DXwdw1Fb`, `Card_title__2fGhx`. */
const MODULE_CLASS = /^([A-Za-z]{3,}(?:[-_]{1,2}[A-Za-z]{3,})*_{1,2})[\w-]{5,12}$/
const LONGEST_BUILT = 100
/** A class that is only a hash. It is valid until the site is built again. */
const HASH_CLASS = /^(?=\w*[a-z])(?=\w*[A-Z])\w{10,40}$/
/** Maximum number of levels above an element in which generated classes are tried. */
const BUILT_LEVELS = 3
const MOST_BUILT = 6

/**
 * Returns the selectors for an element by generated classes: by the name in the class, which
 * survives a new build, else by the whole class. They are better than a position among siblings.
 */
function builtWays({ attribs }: Element): string[] {
  const names = (attribs['class'] ?? '').slice(0, MAX_CLASSES).split(/\s+/, MOST_BUILT)
  return names.flatMap((name) => {
    if (name.length > LONGEST_BUILT) return []
    if (!FLEETING.test(name) && !HASH_CLASS.test(name)) return []
    const stem = MODULE_CLASS.exec(name)?.[1]
    return stem === undefined ? (HASH_CLASS.test(name) ? [`.${name}`] : []) : [`[class*=${stem}]`]
  })
}

/** True for an XPath, which leads to elements beside an item. */
export function isPath(selector: string): boolean {
  return selector.startsWith('./')
}

/** Limits of the matches on a whole page that are kept, because lists of it share many names. */
const MOST_CACHED = 300
const LONGEST_CACHED = 2_000
const cachedMatches = new WeakMap<PageContent, Map<string, readonly Element[]>>()

/** Returns the elements that match a selector: those below `scope`, or what an XPath leads to. */
export function select(page: PageContent, css: string, scope: Element | null): readonly Element[] {
  if (scope !== null || isPath(css)) return selecting(page, css)(scope)
  return cachedMatches.get(page)?.get(css) ?? cache(page, css, selecting(page, css)(null))
}

/** Keeps the matches of a selector on a whole page, within the limits. */
function cache(page: PageContent, css: string, matches: readonly Element[]): readonly Element[] {
  const ofPage = cachedMatches.get(page) ?? new Map<string, readonly Element[]>()
  if (ofPage.size < MOST_CACHED && matches.length <= LONGEST_CACHED) {
    ofPage.set(css, matches)
    cachedMatches.set(page, ofPage)
  }
  return matches
}

/** True if a selector or an XPath finds an element or a text in an item. */
export function isFound(page: PageContent, selector: string, item: Element): boolean {
  return isPath(selector)
    ? checkedXPath(selector, '', [])(page, item).length > 0
    : select(page, selector, item).length > 0
}

/** Like {@link select} in parts, on a whole page or in a large part of it. */
export function* selectParts(
  page: PageContent,
  css: string,
  scope: Element | null = null,
): Parts<readonly Element[]> {
  if (isPath(css)) return select(page, css, scope)
  const cached = scope === null ? cachedMatches.get(page)?.get(css) : undefined
  if (cached !== undefined) return cached
  page.budget.work(PARSE_STEPS)
  const set = new SelectorSet()
  set.add(parseSelector(css), true)
  const [matches = []] = yield* set.findParts(page.tree, startMatching(page.budget), scope)
  return scope === null ? cache(page, css, matches) : matches
}

type Select = (scope: Element | null) => readonly Element[]

/** Maximum number of selectors of a page that are kept. Each is tried in several items. */
const MOST_SELECTORS = 500
const cachedSelectors = new WeakMap<PageContent, Map<string, Select>>()

/** Reads a selector once, for several scopes. */
export function selecting(page: PageContent, css: string): Select {
  const { tree, budget } = page
  budget.work(PARSE_STEPS)
  const ofPage = cachedSelectors.get(page) ?? new Map<string, Select>()
  const cached = ofPage.get(css)
  if (cached !== undefined) return cached
  const reader = isPath(css) ? pathSelect(page, css) : cssSelect(tree, css, budget)
  if (ofPage.size < MOST_SELECTORS) {
    ofPage.set(css, reader)
    cachedSelectors.set(page, ofPage)
  }
  return reader
}

function pathSelect(page: PageContent, path: string): Select {
  const find = checkedXPath(path, '', [])
  return (scope) => find(page, scope).filter((node) => typeof node !== 'string')
}

function cssSelect(tree: Tree, css: string, budget: PageBudget): Select {
  const set = new SelectorSet()
  set.add(parseSelector(css), true)
  return (scope) => set.find(tree, scope, startMatching(budget))[0] ?? []
}

/**
 * Finds selectors whose first match below `scope` is `target`, the best first: the target alone,
 * then below a named ancestor, then by position among its siblings, then by its cell in a row.
 * `scope` is `null` for the whole page. Yields `null` between parts of the work.
 */
export function* selectorsWithin(
  page: PageContent,
  target: Element,
  scope: Element | null,
  inspected = MAX_INSPECTED_WITHIN,
): Generator<string | null, void, undefined> {
  const ways = waysToName(target)
  const span =
    scope === null ? page.tree.elements.length : (scope.endIndex ?? 0) - (scope.startIndex ?? 0)
  let tries = triesOn(span, inspected)
  const fits = function* (css: string): Generator<null, boolean, undefined> {
    if (span < LARGE) return select(page, css, scope)[0] === target
    const [first] = yield* asNothing(selectParts(page, css, scope))
    yield null
    return first === target
  }
  for (const way of ways) if (tries-- > 0 && (yield* fits(way))) yield way
  for (
    let above = target.parent;
    above !== null && isTag(above) && above !== scope;
    above = above.parent
  ) {
    if (tries <= 0) break
    for (const outer of waysToName(above))
      for (const way of ways)
        if (tries-- > 0 && (yield* fits(`${outer} ${way}`))) yield `${outer} ${way}`
  }
  // Of two links to the same page, one is around a picture.
  if (target.name === 'a' && !target.children.some((child) => isTag(child) && child.name === 'img'))
    for (const way of ways) {
      const css = `${way}:not(:has(img))`
      if (tries-- > 0 && (yield* fits(css))) yield css
    }
  for (const way of builtWays(target)) if (tries-- > 0 && (yield* fits(way))) yield way
  for (
    let above = target.parent, level = 0;
    above !== null && isTag(above) && above !== scope && level < BUILT_LEVELS;
    above = above.parent, level++
  )
    for (const outer of PLAIN_TAG.test(target.name) ? builtWays(above) : [])
      if (tries-- > 0 && (yield* fits(`${outer} ${target.name}`))) yield `${outer} ${target.name}`
  const own = ways.at(-1)
  const { parent } = target
  if (own === undefined || parent === null || !isTag(parent)) return
  const nth = nthChild(own, target)
  for (const way of parent === scope
    ? [`> ${nth}`]
    : waysToName(parent).map((outer) => `${outer} > ${nth}`))
    if (yield* fits(way)) yield way
  // In a row without names, the cell identifies its values.
  const cell = scope?.name === 'tr' ? childAround(target, scope) : null
  if (cell === null || cell === target || !PLAIN_TAG.test(cell.name)) return
  for (const way of ways) {
    const css = `> ${nthChild(cell.name, cell)} ${way}`
    if (tries-- > 0 && (yield* fits(css))) yield css
  }
}

/** The child of an element that contains another element. */
function childAround(target: Element, scope: Element): Element | null {
  let node = target
  while (node.parent !== scope) {
    if (node.parent === null || !isTag(node.parent)) return null
    node = node.parent
  }
  return node
}

/** Maximum number of levels of a selector that has only positions. */
const MOST_LEVELS = 8

/**
 * Returns the selector of an element by nothing but its position below `scope`, or `null` if it is
 * deeper than some levels. It is for pages that name nothing, and holds only as long as their
 * structure.
 */
export function positionWithin(target: Element, scope: Element): string | null {
  const steps: string[] = []
  let element = target
  while (element !== scope) {
    const { parent } = element
    if (parent === null || !isTag(parent) || steps.length === MOST_LEVELS) return null
    if (!PLAIN_TAG.test(element.name)) return null
    steps.unshift(`> ${nthChild(element.name, element)}`)
    element = parent
  }
  return steps.length === 0 ? null : steps.join(' ')
}

function nthChild(way: string, element: Element): string {
  const siblings = element.parent?.children.filter(isTag) ?? []
  return `${way}:nth-child(${siblings.indexOf(element) + 1})`
}

/**
 * Returns a selector for these elements of the page, or `null` if no simple one matches them.
 * `slack`: the allowed wrong matches as a share of the targets. Each try is a part of the work.
 */
export function* selectorParts(
  page: PageContent,
  targets: readonly Element[],
  slack: number,
): Parts<string | null> {
  const [sample] = targets
  if (sample === undefined) return null
  const targetSet = new Set(targets)
  const around = elementsAround(targets)
  let tries = triesOn(page.tree.elements.length)
  const ways: string[] = []
  for (const way of waysToName(sample)) {
    if (tries-- <= 0) break
    const among = (yield* selectParts(page, way)).filter((element) => targetSet.has(element))
    if (among.length >= targets.length * 0.8) ways.push(way)
    yield
  }
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
      const matches = yield* selectParts(page, css)
      const miss = missesOf(matches, targetSet, around)
      if (miss === 0) return css
      if (miss < bestMiss) [best, bestMiss] = [css, miss]
      yield
    }
  }
  for (const css of countedWays(targets, page.budget)) {
    if (tries-- <= 0) break
    if (missesOf(yield* selectParts(page, css), targetSet, around) === 0) return css
    yield
  }
  if (bestMiss <= targets.length * slack) return best
  // No name fits. So the path of element kinds is tried, from a named element or the body down.
  for (const css of pathsTo(sample)) {
    if (tries-- <= 0) break
    const matches = yield* selectParts(page, css)
    if (missesOf(matches, targetSet, around) <= targets.length * slack) return css
    yield
  }
  return null
}

/**
 * Counts the targets that are not matched, and the matches that are not targets. A match around a
 * target would give its values twice, so it counts as many wrong matches as there are targets.
 */
function missesOf(
  matches: readonly Element[],
  targets: ReadonlySet<Element>,
  around: ReadonlySet<Element>,
): number {
  let misses = targets.size
  for (const match of matches) {
    if (targets.has(match)) misses--
    else misses += around.has(match) ? targets.size : 1
  }
  return misses
}

function elementsAround(targets: readonly Element[]): ReadonlySet<Element> {
  const around = new Set<Element>()
  for (const target of targets)
    for (
      let above = target.parent;
      above !== null && isTag(above) && !around.has(above);
      above = above.parent
    )
      around.add(above)
  return around
}

/** Maximum levels of a path of kinds. */
const MOST_KINDS = 8

/** Returns the paths of kinds that lead to an element, the shortest first: `main > div > div`. */
function pathsTo(element: Element): string[] {
  const paths: string[] = []
  let path = ''
  for (
    let node: Element['parent'] = element;
    node !== null && isTag(node) && node.name !== 'html' && paths.length < 2 * MOST_KINDS;
    node = node.parent
  ) {
    if (!PLAIN_TAG.test(node.name) || path.length > LONGEST_PATH) break
    const [named] = stableClasses(node)
    const plain = named === undefined ? node.name : `${node.name}.${named}`
    // An advertisement among items without a class usually has a class.
    const bare = Object.hasOwn(node.attribs, 'class') ? null : `${node.name}:not([class])`
    if (path !== '') paths.push(`${plain} > ${path}`)
    path = path === '' ? (bare ?? plain) : `${plain} > ${path}`
  }
  return paths
}
