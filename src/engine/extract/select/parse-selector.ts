import { AttributeAction, isTraversal, parse, SelectorType } from 'css-what'
import type { Selector as Token } from 'css-what'
import { MOST_SOUGHT } from '../page/page-budget.ts'
import { complexMatcher, partsOf } from './complex-matcher.ts'
import { compoundKey } from './compound-matcher.ts'
import type { CompoundKey } from './compound-matcher.ts'
import { generalMatcher } from './general-matcher.ts'
import { formulaAndList } from './position-matcher.ts'
import { plainSelector } from './plain-selector.ts'
import type { Matcher } from './matching.ts'
import type { Issue } from '../../../kernel/errors.ts'

/** The reason why a selector cannot be used. The message is safe to show to the caller. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** One alternative of a selector list, ready to match. */
export interface Alternative {
  readonly key: CompoundKey
  readonly matches: Matcher
}

/** A parsed selector. HTML compares names without case, XML with. */
export interface Selector {
  readonly css: string
  readonly html: readonly Alternative[]
  readonly xml: readonly Alternative[]
}

const MAX_ALTERNATIVES = 50
const MAX_PARTS = 100
const MAX_NESTING = 4

/**
 * Parses a CSS selector (Selectors 4 as far as css-select supports it, including `:has`, `:is` and
 * `:contains`). A leading combinator (`> a`) and `:scope` refer to the item or element that is
 * searched. `:scope` alone is that element itself.
 *
 * @throws {SelectorError} for an invalid selector, and for one whose matching could take unbounded
 *   time: more than 50 alternatives, 100 parts or 4 levels of parentheses, `:has` inside `:has`,
 *   more than 250 characters to search for in a text.
 */
export function parseSelector(css: string): Selector {
  try {
    const list = parse(plainSelector(css))
    if (list.every((tokens) => tokens.length === 0)) throw new Error('it is empty')
    const problem = tooComplex(list)
    if (problem !== null) throw new SelectorError(`${JSON.stringify(css)} ${problem}`)
    for (const tokens of list) checkTokens(tokens, css)
    return {
      css,
      html: list.map((tokens) => alternative(tokens, false)),
      xml: list.map((tokens) => alternative(tokens, true)),
    }
  } catch (error) {
    if (error instanceof SelectorError) throw error
    throw new SelectorError(
      `${JSON.stringify(shorten(css))} is not a CSS selector: ` +
        `${error instanceof Error ? reason(error.message) : 'it cannot be read'}`,
    )
  }
}

function alternative(tokens: readonly Token[], xml: boolean): Alternative {
  const first = tokens[0]
  const leads = first !== undefined && isTraversal(first)
  const scoped: readonly Token[] = leads
    ? [{ type: SelectorType.Pseudo, name: 'scope', data: null }, ...tokens]
    : tokens
  const { compounds, combinators } = partsOf(scoped)
  if (compounds.some((compound) => compound.length === 0))
    throw new Error('a part is missing beside a combinator')
  const matches = complexMatcher(compounds, combinators, xml) ?? generalMatcher(scoped, xml)
  return { key: compoundKey(compounds.at(-1) ?? [], xml), matches }
}

/** Refuses selectors that the parser accepts by mistake: a name after something else, and `..a`. */
function checkTokens(tokens: readonly Token[], css: string): void {
  let isFirst = true
  for (const token of tokens) {
    const isName = token.type === SelectorType.Tag || token.type === SelectorType.Universal
    if (!isFirst && isName)
      throw new Error('a tag name follows another part: put it first, or put a space before it')
    isFirst = isTraversal(token)
    // Only `.a` and `#a` have `ignoreCase: 'quirks'`, which leaves it to the page whether case
    // matters.
    const isShort = token.type === SelectorType.Attribute && token.ignoreCase === 'quirks'
    if (isShort && /^(?:[.#]|$)/.test(token.value) && !css.includes('\\'))
      throw new Error('a class or an id has no name')
    // `tooComplex` has already limited their depth.
    for (const inner of listIn(token) ?? []) checkTokens(inner, css)
  }
}

function tooComplex(list: readonly (readonly Token[])[]): string | null {
  if (list.length > MAX_ALTERNATIVES) return `has more than ${MAX_ALTERNATIVES} alternatives`
  let parts = 0
  let problem: string | null = null
  const visit = (
    alternatives: readonly (readonly Token[])[],
    depth: number,
    inHas: boolean,
  ): void => {
    if (depth > MAX_NESTING) problem ??= `has parentheses nested more than ${MAX_NESTING} deep`
    for (const tokens of alternatives) {
      parts += tokens.length
      for (const token of tokens) {
        if (soughtBy(token).length > MOST_SOUGHT)
          problem ??=
            `looks for a text of more than ${MOST_SOUGHT} characters, which can take too long; use ` +
            'its beginning'
        const inner = listIn(token)
        if (inner === null) continue
        const has = token.type === SelectorType.Pseudo && token.name === 'has'
        if (has && inHas) problem ??= 'has :has() inside :has()'
        if (problem === null) visit(inner, depth + 1, inHas || has)
      }
    }
  }
  visit(list, 0, false)
  return problem ?? (parts > MAX_PARTS ? `has more than ${MAX_PARTS} parts` : null)
}

/** Returns the selectors in the parentheses of a part, also those of `:nth-child(2n of .x)`. */
function listIn(token: Token): readonly (readonly Token[])[] | null {
  if (token.type !== SelectorType.Pseudo || token.data === null) return null
  if (typeof token.data !== 'string') return token.data
  const part = formulaAndList(token)
  return part === null ? null : parse(part.list)
}

/** Returns the text that a part of a selector searches for inside other text. */
function soughtBy(token: Token): string {
  if (token.type === SelectorType.Attribute)
    return token.action === AttributeAction.Any ? token.value : ''
  if (token.type !== SelectorType.Pseudo || typeof token.data !== 'string') return ''
  return token.name === 'contains' || token.name === 'icontains' ? token.data : ''
}

function reason(message: string): string {
  if (/pseudo-element/i.test(message))
    return 'pseudo-elements such as ::text and ::attr() select nothing here; use attr for an attribute'
  // The parser quotes the rest of the selector, which may be empty.
  return message.replace(/found $/, 'found its end')
}

function shorten(css: string): string {
  return css.length > 200 ? `${css.slice(0, 200)}…` : css
}

/** Parses a recipe's selector. For an invalid selector, adds an issue at `path` and returns `null`. */
export function checkedSelector(css: string, path: string, issues: Issue[]): Selector | null {
  try {
    return parseSelector(css)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    issues.push({ path, message: error.message })
    return null
  }
}
