import { isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import { memberPath } from '../document/record-fields.ts'
import type { PageContent } from '../page/page-content.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import { nextLinkParts } from './next-link.ts'
import { namesOf } from '../value/wide-names.ts'

/** The parts of a rule of `follow` that leads to the next page. */
export interface NextRule {
  /** Selector of a link, or JSONPath of a URL or of a token. */
  readonly next: string
  /** The query parameter that the token belongs to. */
  readonly param?: string
}

/** Members of a document that contain the address or token of its next page. */
const HOLDERS = ['links', '_links', 'paging', 'pagination', 'page', 'meta', 'info', 'cursors']
const URL_NAME = /^(?:@odata\.)?next(?:_?page)?(?:_?(?:url|uri|link|href))?$/i
const TOKEN_NAME =
  /^(?:next_?)(?:page_?)?(?:cursor|token|page|offset|start|after)?$|^(?:end_?cursor|continuation_?token|scroll_?id)$/i
/** Parameters of APIs that take a token, by a part of the token's name. */
const PARAMS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/cursor/i, ['cursor', 'after', 'next_cursor', 'nextCursor']],
  [/token/i, ['pageToken', 'page_token', 'continuationToken', 'continuation_token', 'token']],
  [/offset|start/i, ['offset', 'start', 'skip']],
  [/after/i, ['after']],
  [/scroll/i, ['scroll_id']],
  [/page/i, ['page', 'p', 'pageNumber', 'page_number']],
]

/** Steps that a turn counts for a name of an object. */
const NAME_STEPS = 4

/** Returns the rule that leads from a page to its next one, or `null`. */
export function* nextRuleParts(content: PageContent): Parts<NextRule | null> {
  if (content.kind === 'html') {
    const link = yield* nextLinkParts(content)
    return link === null ? null : { next: link.css }
  }
  if (content.kind !== 'json') return null
  yield* content.readData()
  for (const document of content.data) {
    if (!isObject(document)) continue
    for (const { path, value } of holdersIn(document)) {
      const rule = yield* ruleOf(path, value, content)
      if (rule !== null) return rule
    }
  }
  return null
}

/** The document, and those of its members that may contain the address or token of the next page. */
function holdersIn(document: JsonObject): { path: string; value: JsonObject }[] {
  const holders = [{ path: '$', value: document }]
  for (const index of [0, 1, 2]) {
    const outer = holders[index]
    if (outer === undefined) break
    for (const name of HOLDERS) {
      const inner = outer.value[name]
      if (isObject(inner)) holders.push({ path: memberPath(outer.path, name), value: inner })
    }
  }
  return holders
}

function* ruleOf(
  path: string,
  object: JsonObject,
  { url, budget }: PageContent,
): Parts<NextRule | null> {
  const names = namesOf(object)
  const parts = new StepParts(budget)
  for (const name of names) {
    budget.unpaid(NAME_STEPS)
    if (parts.ends()) yield
    if (!URL_NAME.test(name)) continue
    const value = object[name]
    if (isAddress(value)) return { next: memberPath(path, name) }
    // HAL and JSON:API: an object with the link.
    if (isObject(value) && isAddress(value['href']))
      return { next: memberPath(memberPath(path, name), 'href') }
  }
  for (const name of names) {
    budget.unpaid(NAME_STEPS)
    if (parts.ends()) yield
    if (!TOKEN_NAME.test(name)) continue
    const value = object[name]
    const isToken = (typeof value === 'string' && value !== '') || typeof value === 'number'
    const param = isToken ? paramOf(name, url) : null
    if (param !== null) return { next: memberPath(path, name), param }
  }
  return null
}

/** A path is an address only if it has a slash or a query: `next: "abc"` is a token. */
function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^(?:https?:\/\/|\/|\?)\S/.test(value)
}

/** The parameter of the page's own URL that the token replaces, else the most common one of APIs. */
function paramOf(name: string, pageUrl: string): string | null {
  const query = URL.parse(pageUrl)?.searchParams
  const names = PARAMS.find(([pattern]) => pattern.test(name))?.[1] ?? []
  return names.find((param) => query?.has(param)) ?? names[0] ?? null
}
