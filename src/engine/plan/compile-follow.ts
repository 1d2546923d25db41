import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import type { Issue } from '../../kernel/errors.ts'
import { jsonSize } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { normaliseParsed } from '../../kernel/url.ts'
import type { FoundLink, Visit } from '../../ports/page-processor.ts'
import { addressIn, hrefIn } from '../extract/page/link-address.ts'
import {
  answered,
  atOnce,
  inSlices,
  type InOneOrParts,
  type Parts,
} from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector, parseSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import { WHOLE_PAGE } from '../extract/source/reader.ts'
import type { Matches, RowNode } from '../extract/source/reader.ts'
import { compileFields } from '../extract/field-group.ts'
import { checkedJsonPath } from '../extract/value/json-path.ts'
import type { JsonPath } from '../extract/value/json-path.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import type { XPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath } from '../recipe/field-schema.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { Recipe } from '../recipe/schema.ts'
import { compileItems } from './compile-items.ts'
import type { Items } from './compile-items.ts'
import type { NormalUrl } from '../../kernel/url.ts'

type Rule = NonNullable<Recipe['follow']>[number]

/** Finds the links of a page that a recipe follows. */
export type LinkFinder = (page: PageContent, visit: Visit) => Parts<readonly FoundLink[]>

/** Maximum number of links from one page. */
const MAX_LINKS = 10_000
const DEFAULT_CHAIN = 1_000

/** Reads the values that a link carries along. */
interface Carry {
  read(): Row
  /** The same in parts. */
  readParts(): Parts<Row>
}

/** Receives one URL after the other, with the values that it carries. `true` ends the search. */
type TakeLink = (url: NormalUrl | null, carry?: Carry) => InOneOrParts<boolean>

interface CompiledRule {
  /**
   * Passes the links of the rule on a page to `take`, until `take` has enough. `matches`: the
   * matches of the selectors of all rules on the page.
   */
  readonly find: (page: PageContent, matches: Matches, take: TakeLink) => Parts<unknown>
  /** Returns the visit that a link leads to, or `null` if the rule does not apply. */
  readonly next: (visit: Visit) => Visit | null
}

/** Bytes that a link takes besides its URL. */
const LINK_BYTES = 64
/**
 * Maximum number of characters of the values that a link carries along, as JSON. They are stored
 * with it.
 */
const MOST_CARRIED = 4_000
/**
 * The share of the remaining budget for links. Links are found before rows, so the limit keeps
 * enough for the rows.
 */
const LINK_SHARE = 0.25

/** Compiles `follow`. `labels`: every label that a page of this recipe can have. */
export function compileFollow(
  rules: readonly Rule[],
  labels: ReadonlySet<string>,
  issues: Issue[],
): LinkFinder {
  const selectors = new SelectorSet()
  const compiled: CompiledRule[] = []
  for (const [index, rule] of rules.entries()) {
    const path = `follow.${index}`
    if (rule.on !== undefined && !labels.has(rule.on))
      issues.push({ path: `${path}.on`, message: unknownLabel(rule.on, labels) })
    const isNext = 'next' in rule
    const find =
      !isNext && rule.carry !== undefined
        ? compileCarrying(rule.carry, rule, path, issues)
        : compileFind(rule, path, selectors, issues)
    if (find !== null)
      compiled.push({
        find,
        next: isNext
          ? nextPage(rule.maxPages ?? DEFAULT_CHAIN, rule.on)
          : linkedPage(rule.as, rule.on),
      })
  }
  return finder(selectors, compiled)
}

/** Follows every link of a page, a level deeper each time. */
export function followAll(): LinkFinder {
  const selectors = new SelectorSet()
  return finder(selectors, [
    {
      find: hrefsOf(selectors.add(parseSelector('a[href], area[href]'), true)),
      next: linkedPage(undefined, undefined),
    },
  ])
}

/** The message for an unknown label. It lists the known labels. */
export function unknownLabel(label: string, labels: ReadonlySet<string>): string {
  return `no page has the label ${JSON.stringify(label)}; known labels: ${[...labels].join(', ')}`
}

function compileFind(
  rule: Rule,
  path: string,
  selectors: SelectorSet,
  issues: Issue[],
): CompiledRule['find'] | null {
  const isNext = 'next' in rule
  const expression = isNext ? rule.next : rule.links
  const finderPath = `${path}.${isNext ? 'next' : 'links'}`
  const param = isNext ? rule.param : undefined
  if (expression.startsWith('$'))
    return jsonLinks(checkedJsonPath(expression, finderPath, issues), param)
  if (param !== undefined)
    issues.push({
      path: `${path}.param`,
      message: 'needs a JSONPath as next, such as $.nextCursor: a selector finds a whole link',
    })
  if (isXPath(expression)) return xpathLinks(checkedXPath(expression, finderPath, issues), isNext)
  const selector = checkedSelector(expression, finderPath, issues)
  return selector === null ? null : hrefsOf(selectors.add(selector, !isNext))
}

/** Compiles a rule whose links carry values along from their page, or from their part of it. */
function compileCarrying(
  carry: Fields,
  { items, links }: Exclude<Rule, { readonly next: string }>,
  path: string,
  issues: Issue[],
): CompiledRule['find'] {
  const parts = items === undefined ? WHOLE : compileItems(items, `${path}.items`, issues)
  const fields = compileFields(carry, `${path}.carry`, issues, parts.ground)
  const linksIn = compileLinksIn(links, `${path}.links`, issues)
  return (page, _, take) =>
    parts.findParts(page, (node) => {
      // The values are read once for all links of the part, and only if one of the links is new.
      let row: Row | undefined
      const values: Carry = {
        read: () => (row ??= fields.read(page, node)),
        *readParts() {
          return (row ??= yield* fields.readParts(page, node))
        },
      }
      const search = linksIn(page, node, (url) => take(url, values))
      return page.isInTurns ? search : atOnce(search)
    })
}

const WHOLE: Items = {
  ground: 'page',
  isListed: false,
  *findParts(_, take) {
    yield
    yield* answered(take(WHOLE_PAGE))
  },
}

/** Finds links in a part of a page. */
type LinksIn = (page: PageContent, node: RowNode, take: TakeLink) => Parts<boolean>

function compileLinksIn(expression: string, path: string, issues: Issue[]): LinksIn {
  if (expression.startsWith('$')) {
    const query = checkedJsonPath(expression, path, issues)
    return function* (page, { item }, take) {
      const { budget, isInTurns } = page
      const takeMatch = (match: Json): InOneOrParts<boolean> =>
        take(typeof match === 'string' && match.trim() !== '' ? page.resolve(match) : null)
      for (const value of item === undefined ? page.data : [item])
        if (
          isInTurns
            ? yield* query.parts(value, budget, takeMatch)
            : query(value, budget, (match) => atOnce(answered(takeMatch(match))))
        )
          return true
      return false
    }
  }
  if (isXPath(expression)) {
    const find = checkedXPath(expression, path, issues)
    return function* (page, { element }, take) {
      const matches = page.isInTurns ? yield* find.parts(page, element) : find(page, element)
      return yield* eachInParts(matches, (match) => {
        const href = typeof match === 'string' ? match : hrefOf(match, page)
        return take(href === null || href.trim() === '' ? null : page.resolve(href))
      })
    }
  }
  const selectors = new SelectorSet()
  const selector = checkedSelector(expression, path, issues)
  const index = selector === null ? -1 : selectors.add(selector, true)
  return function* (page, { element }, take) {
    const matches = page.isInTurns
      ? yield* selectors.findParts(page.tree, page.matching, element)
      : selectors.find(page.tree, element, page.matching)
    return yield* eachInParts(matches[index] ?? [], (match) => {
      const href = hrefOf(match, page)
      return take(href === null ? null : page.resolve(href))
    })
  }
}

function hrefsOf(index: number): CompiledRule['find'] {
  return (page, matches, take) =>
    eachInParts(matches[index] ?? [], (element) => {
      const href = hrefOf(element, page)
      return take(href === null ? null : page.resolve(href))
    })
}

/** Passes the members of a list until `take` has enough. True: it has. */
function* eachInParts<T>(
  list: readonly T[],
  take: (member: T) => InOneOrParts<boolean>,
): Parts<boolean> {
  for (const slice of inSlices(list)) {
    yield
    for (const member of slice) {
      const isEnough = take(member)
      if (isEnough === true || (isEnough !== false && (yield* isEnough))) return true
    }
  }
  return false
}

function xpathLinks(path: XPath, isNext: boolean): CompiledRule['find'] {
  return function* (page, _, take) {
    const matches = page.isInTurns ? yield* path.parts(page, null) : path(page, null)
    return yield* eachInParts(isNext ? matches.slice(0, 1) : matches, (match) => {
      const href = typeof match === 'string' ? match : hrefOf(match, page)
      return take(href === null || href.trim() === '' ? null : page.resolve(href))
    })
  }
}

/**
 * Finds URLs in a JSON document. With `param`, the link is the page's own URL with the found value
 * as that parameter.
 */
function jsonLinks(query: JsonPath, param: string | undefined): CompiledRule['find'] {
  return function* (page, _, take) {
    const takeValue = (value: Json): InOneOrParts<boolean> => {
      if (param === undefined)
        return take(typeof value === 'string' && value.trim() !== '' ? page.resolve(value) : null)
      const isToken = (typeof value === 'string' && value !== '') || typeof value === 'number'
      if (isToken) take(withParam(page.url, param, String(value)))
      // A page has only one next page.
      return isToken
    }
    for (const document of page.data)
      if (
        page.isInTurns
          ? yield* query.parts(document, page.budget, takeValue)
          : query(document, page.budget, (value) => atOnce(answered(takeValue(value))))
      )
        return
  }
}

function withParam(pageUrl: string, name: string, value: string): NormalUrl | null {
  const url = new URL(pageUrl)
  url.searchParams.set(name, value)
  return normaliseParsed(url)
}

function linkedPage(as: string | undefined, on: string | undefined): CompiledRule['next'] {
  return (visit) =>
    on !== undefined && visit.label !== on
      ? null
      : { label: as ?? visit.label, depth: visit.depth + 1, hop: 1, ...carriedOn(visit) }
}

function nextPage(maxPages: number, on: string | undefined): CompiledRule['next'] {
  return (visit) =>
    (on !== undefined && visit.label !== on) || visit.hop >= maxPages
      ? null
      : { label: visit.label, depth: visit.depth, hop: visit.hop + 1, ...carriedOn(visit) }
}

/** Passes the carried values of a page on to the pages that it links to. */
function carriedOn({ carried }: Visit): Pick<Visit, 'carried'> {
  return carried === undefined ? {} : { carried }
}

function finder(selectors: SelectorSet, rules: readonly CompiledRule[]): LinkFinder {
  return function* (page, visit) {
    const active = rules.flatMap((rule) => {
      const target = rule.next(visit)
      return target === null ? [] : [{ find: rule.find, target }]
    })
    if (active.length === 0) return []
    const links = new Map<string, FoundLink>()
    const { budget } = page
    // The rows also need the page's tree and data, so these are not charged to the links alone.
    if (yield* budget.attemptParts('page', readPage(page), false))
      yield* budget.attemptPartsWithin(
        LINK_SHARE,
        'follow',
        linkParts(page, active, selectors, links),
        undefined,
      )
    return [...links.values()]
  }
}

function* readPage(page: PageContent): Parts<boolean> {
  if (hasTree(page)) return page.tree.elements.length >= 0
  yield* page.readData()
  return page.data.length >= 0
}

function hasTree({ kind }: PageContent): boolean {
  return kind === 'html' || kind === 'xml'
}

function* linkParts(
  page: PageContent,
  active: readonly { readonly find: CompiledRule['find']; readonly target: Visit }[],
  selectors: SelectorSet,
  links: Map<string, FoundLink>,
): Parts<void> {
  const matches = hasTree(page) ? yield* selectors.findParts(page.tree, page.matching) : []
  for (const { find, target } of active) {
    const keep = (url: NormalUrl, own: Row | null): false => {
      const carried = own === null ? target.carried : joined(target.carried, own, page)
      page.budget.make(
        LINK_BYTES + url.length + (carried === undefined ? 0 : jsonSize(carried, MOST_CARRIED)),
      )
      links.set(url, { url, ...target, ...(carried && { carried }) })
      return false
    }
    const keepParts = function* (url: NormalUrl, carry: Carry): Parts<boolean> {
      return keep(url, yield* carry.readParts())
    }
    yield* find(page, matches, (url, carry) => {
      // The first rule that finds a link decides its visit.
      if (url === null || links.has(url)) return false
      if (links.size === MAX_LINKS) {
        page.budget.cut('links', MAX_LINKS)
        return true
      }
      if (carry === undefined) return keep(url, null)
      return page.isInTurns ? keepParts(url, carry) : keep(url, carry.read())
    })
  }
}

/** Adds values to those that the page got. A value that no longer fits becomes `null`. */
function joined(before: Row | undefined, own: Row, { budget }: PageContent): Row {
  const carried: Record<string, Json> = { ...before }
  let size = jsonSize(carried, MOST_CARRIED)
  for (const [name, value] of Object.entries(own)) {
    const added = name.length + 4 + jsonSize(value, MOST_CARRIED)
    const fits = size + added <= MOST_CARRIED
    if (!fits) budget.cut('characters of carried values', MOST_CARRIED, 'follow')
    if (fits || !Object.hasOwn(carried, name)) carried[name] = fits ? value : null
    size += fits ? added : name.length + 4
  }
  return carried
}

/**
 * Returns the link of an element: its `href`, or the address that its scripts load (in feeds and
 * sitemaps its text), or the first link inside it.
 */
function hrefOf(element: Element, page: PageContent): string | null {
  const address = addressIn(element)
  if (address !== null) return address
  const end = element.endIndex ?? -1
  for (let index = (element.startIndex ?? 0) + 1; index <= end; index++) {
    const inner = page.tree.elements[index]
    page.budget.work(1)
    const href =
      inner !== undefined && (inner.name === 'a' || inner.name === 'area') ? hrefIn(inner) : null
    if (href !== null) return href
  }
  const parent = element.parent
  if (page.kind === 'xml') {
    const text = element.children
      .map((child) => ('data' in child ? child.data : ''))
      .join('')
      .trim()
    return text === '' ? null : text
  }
  // `.card h3` in `<a class="card"><h3>`: the link that contains the element.
  return parent !== null && isTag(parent) && parent.name === 'a' ? hrefIn(parent) : null
}
