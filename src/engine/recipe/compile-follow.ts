import { isTag, type Element } from 'domhandler'
import type { Issue } from '../../kernel/errors.ts'
import type { FoundLink, Visit } from '../../ports/page-processor.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector } from '../extract/select/checked-selector.ts'
import { parseSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import type { Recipe } from './schema.ts'

type Rule = NonNullable<Recipe['follow']>[number]

/** Finds the links of a page that a recipe follows. */
export type LinkFinder = (page: PageContent, visit: Visit) => readonly FoundLink[]

/** Most links taken from one page. */
const MAX_LINKS = 10_000
const DEFAULT_CHAIN = 1_000

interface CompiledRule {
  readonly place: number
  /** The visit that a found link makes; `null` where the rule does not hold. */
  readonly next: (visit: Visit) => Visit | null
}

/** Compiles `follow`. `labels`: every label that a page of this recipe can have. */
export function compileFollow(rules: readonly Rule[], labels: ReadonlySet<string>, issues: Issue[]): LinkFinder {
  const selectors = new SelectorSet()
  const compiled: CompiledRule[] = []
  for (const [at, rule] of rules.entries()) {
    const path = `follow.${at}`
    if (rule.on !== undefined && !labels.has(rule.on)) issues.push({ path: `${path}.on`, message: unknownLabel(rule.on, labels) })
    const isNext = 'next' in rule
    const selector = checkedSelector(isNext ? rule.next : rule.links, `${path}.${isNext ? 'next' : 'links'}`, issues)
    if (selector !== null) compiled.push({ place: selectors.add(selector, !isNext), next: isNext ? nextPage(rule.maxPages ?? DEFAULT_CHAIN, rule.on) : linkedPage(rule.as, rule.on) })
  }
  return finder(selectors, compiled)
}

/** Follows every link of a page, a level deeper each time. */
export function followAll(): LinkFinder {
  const selectors = new SelectorSet()
  const place = selectors.add(parseSelector('a[href], area[href]'), true)
  return finder(selectors, [{ place, next: linkedPage(undefined, undefined) }])
}

/** Says which labels there are. */
export function unknownLabel(label: string, labels: ReadonlySet<string>): string {
  return `no page has the label ${JSON.stringify(label)}; known labels: ${[...labels].join(', ')}`
}

function linkedPage(as: string | undefined, on: string | undefined): CompiledRule['next'] {
  return (visit) => (on !== undefined && visit.label !== on ? null : { label: as ?? visit.label, depth: visit.depth + 1, hop: 1 })
}

function nextPage(maxPages: number, on: string | undefined): CompiledRule['next'] {
  return (visit) => ((on !== undefined && visit.label !== on) || visit.hop >= maxPages ? null : { label: visit.label, depth: visit.depth, hop: visit.hop + 1 })
}

function finder(selectors: SelectorSet, rules: readonly CompiledRule[]): LinkFinder {
  return (page, visit) => {
    const active = rules.flatMap((rule) => {
      const target = rule.next(visit)
      return target === null ? [] : [{ place: rule.place, target }]
    })
    if (active.length === 0 || (page.kind !== 'html' && page.kind !== 'xml')) return []
    const matches = selectors.find(page.tree, null, page.matching)
    const found = new Map<string, FoundLink>()
    for (const { place, target } of active) {
      for (const element of matches[place] ?? []) {
        const href = hrefOf(element, page)
        const url = href === null ? null : page.resolve(href)
        if (url === null) continue
        // The first rule that finds a page decides what it is.
        if (!found.has(url)) found.set(url, { url, ...target })
        if (found.size === MAX_LINKS) return [...found.values()]
      }
    }
    return [...found.values()]
  }
}

/** The link that an element is (its `href`; in feeds and sitemaps its text), or the first one inside it. */
function hrefOf(element: Element, page: PageContent): string | null {
  const own = ownHref(element)
  if (own !== null) return own
  const end = element.endIndex ?? -1
  for (let at = (element.startIndex ?? 0) + 1; at <= end; at++) {
    const inner = page.tree.elements[at]
    const href = inner !== undefined && (inner.name === 'a' || inner.name === 'area') ? ownHref(inner) : null
    if (href !== null) return href
  }
  const parent = element.parent
  if (page.kind === 'xml') {
    const text = element.children.map((child) => ('data' in child ? child.data : '')).join('').trim()
    return text === '' ? null : text
  }
  // `.card h3` in `<a class="card"><h3>`: the link that the element lies in.
  return parent !== null && isTag(parent) && parent.name === 'a' ? ownHref(parent) : null
}

function ownHref(element: Element): string | null {
  return Object.hasOwn(element.attribs, 'href') ? (element.attribs['href'] ?? null) : null
}
