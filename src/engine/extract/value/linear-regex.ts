import type { RE2JS } from 're2js'
import type { PageBudget } from '../page/page-budget.ts'
import type { Issue } from '../../../kernel/errors.ts'
import { patternCost } from '../../recipe/pattern-cost.ts'

/** Maximum characters of one text that are searched. */
const MAX_TEXT = 100_000
/** Maximum instructions of a compiled pattern. Nested counts multiply them. */
const MAX_SIZE = 1_000
/**
 * Up to this size, instructions are not charged extra. The cost of a larger pattern grows with the
 * square.
 */
const SMALL_SIZE = 14
const MAX_MATCHES = 10_000
const SEARCHED = 'characters to search'

/** The reason why a pattern cannot be used. The message is safe to show to the caller. */
class RegexError extends Error {
  override readonly name = 'RegexError'
}

interface Compiled {
  readonly pattern: RE2JS
  readonly group: string | number
  /** The work per character, in units of one character with a small pattern. */
  readonly cost: number
  /** True if every search is charged as if it reached the end of the text. */
  readonly paysToEnd: boolean
}

let engine: typeof RE2JS | null = null

/** Loads the engine, which is too large to load for recipes without patterns. */
export async function loadRegexEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/**
 * A pattern in RE2 syntax (JavaScript's without lookaround and backreferences) that runs in time
 * linear in the text. It is compiled immediately if the engine is loaded, else at its first use.
 */
class LinearRegex {
  readonly #source: string
  readonly #group: string | number | undefined
  #compiled: Compiled | null = null

  /**
   * `group`: the group that is the value. Default: the first group, or the whole match without
   * groups.
   *
   * @throws {RegexError} if the engine is loaded
   */
  constructor(source: string, group?: string | number) {
    this.#source = source
    this.#group = group
    if (engine !== null) this.#use()
  }

  /** Returns the value of the first match. */
  first(text: string, budget: PageBudget): string | null {
    for (const value of this.#matches(text, budget)) return value
    return null
  }

  /** Returns the values of all matches. */
  all(text: string, budget: PageBudget): string[] {
    return [...this.#matches(text, budget)]
  }

  /** Replaces each match. `$1` and `$<name>` in `replacement` are groups. */
  replace(text: string, replacement: string, budget: PageBudget): string {
    const { pattern } = this.#use()
    const input = text.slice(0, MAX_TEXT)
    let matches = 0
    const matcher = pattern.matcher(input)
    for (let from = 0; this.#find(matcher, from, input, budget); matches++) from = matcher.end()
    if (text.length > MAX_TEXT) budget.cut(SEARCHED, MAX_TEXT)
    if (matches === 0) return text
    // The output of a match is at most the replacement with the whole match in place of each group
    // that it names.
    const groups = replacement.split('$').length - 1
    // `$\`` and `$'` stand for all of the text before and after a match.
    const sides = replacement.split(/\$[`']/).length - 1
    budget.make(matches * (replacement.length + sides * input.length) + groups * input.length)
    return pattern.matcher(input).replaceAll(replacement) + text.slice(MAX_TEXT)
  }

  *#matches(text: string, budget: PageBudget): Generator<string> {
    const { pattern, group } = this.#use()
    const input = text.slice(0, MAX_TEXT)
    const matcher = pattern.matcher(input)
    for (let from = 0, count = 0; this.#find(matcher, from, input, budget); count++) {
      if (count === MAX_MATCHES) {
        budget.cut('matches of a pattern', MAX_MATCHES)
        return
      }
      from = matcher.end()
      const value = matcher.group(group)
      if (value !== null) yield value
    }
    // A search that needed only the first match and found it does not reach this line.
    if (text.length > MAX_TEXT) budget.cut(SEARCHED, MAX_TEXT)
  }

  /** Finds the next match from a position on and pays for what the engine has read. */
  #find(
    matcher: ReturnType<RE2JS['matcher']>,
    from: number,
    input: string,
    budget: PageBudget,
  ): boolean {
    const { cost, paysToEnd } = this.#use()
    const rest = stepsOf(input.length - from, cost)
    if (paysToEnd) budget.work(rest)
    const isFound = matcher.find()
    if (!paysToEnd) budget.work(isFound ? stepsOf(matcher.end() - from, cost) : rest)
    return isFound
  }

  #use(): Compiled {
    return (this.#compiled ??= this.#compile())
  }

  #compile(): Compiled {
    if (engine === null)
      throw new Error('The regex engine is not loaded: await prepareRecipe(recipe) first')
    const shown = JSON.stringify(this.#source.slice(0, 200))
    let pattern: RE2JS
    try {
      pattern = engine.compile(engine.translateRegExp(this.#source))
    } catch (error) {
      throw new RegexError(`${shown} is not a pattern: ${reason(error)}`)
    }
    const size = pattern.programSize()
    if (size > MAX_SIZE)
      throw new RegexError(
        `${shown} is too large: counts such as {1,100} are expanded, and nested counts multiply`,
      )
    const group = this.#group ?? (pattern.groupCount() > 0 ? 1 : 0)
    if (
      typeof group === 'number'
        ? group > pattern.groupCount()
        : !Object.hasOwn(pattern.namedGroups(), group)
    ) {
      throw new RegexError(`${shown} has no group ${JSON.stringify(group)}`)
    }
    return {
      pattern,
      group,
      cost: Math.max(1, (size / SMALL_SIZE) ** 2),
      paysToEnd: looksAhead(this.#source),
    }
  }
}

/**
 * True if the engine may read far beyond the end of a match. Then all matches together can take the
 * square of the text. For example, at each `a` it reads to the end of the text for `a(?:.*b)?` and
 * `.*b|a`. This needs an unbounded repetition and a way around it: an alternative beside it, or a
 * repetition of its group.
 */
function looksAhead(source: string): boolean {
  const bare = source.replace(/\\./gs, 'x').replace(/\[[^[\]]*\]/g, 'x')
  // Assume the worst for unknown syntax: an unmatched bracket may hide a parenthesis.
  if (/[[\]]/.test(bare)) return true
  const open: { unbounded: boolean; choice: boolean }[] = []
  let here = { unbounded: false, choice: false }
  for (let position = 0; position < bare.length; position++) {
    const char = bare[position]
    if (char === '(') {
      open.push(here)
      here = { unbounded: false, choice: false }
    } else if (char === ')') {
      if (here.unbounded && (here.choice || '*+?{'.includes(bare[position + 1] ?? ' '))) return true
      const outer = open.pop()
      if (outer === undefined) return true
      here = { ...outer, unbounded: outer.unbounded || here.unbounded }
    } else if (char === '|') here.choice = true
    else if (
      char === '*' ||
      char === '+' ||
      (char === '{' && OPEN_COUNT.test(bare.slice(position, position + 12)))
    )
      here.unbounded = true
  }
  return open.length > 0 || (here.unbounded && here.choice)
}

const OPEN_COUNT = /^\{\d{1,8},\}/

/** Returns the steps of one search. A character of a small pattern takes some 40 ns. */
function stepsOf(length: number, cost: number): number {
  return Math.ceil((length * cost + 16) * 1.6)
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read'
  return /\(\?[=!<]|\\[1-9]/.test(message)
    ? 'lookahead, lookbehind and backreferences are not supported, as they can take time without bound'
    : message.replace(/^error parsing regexp: /, '')
}

/** Compiles a recipe's pattern. For an invalid pattern, adds an issue at `at` and returns `null`. */
export function checkedRegex(
  source: string,
  group: string | number | undefined,
  recipePath: string,
  issues: Issue[],
): LinearRegex | null {
  try {
    return new LinearRegex(source, group)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    issues.push({ path: recipePath, message: error.message })
    return null
  }
}

/** Maximum characters of a pattern that a document gives. */
const MAX_PATTERN = 500
/** Steps for each microsecond of compiling a pattern. */
const COMPILE_STEPS = 40

let lastPattern: { readonly key: string; readonly regex: LinearRegex | null } | null = null

/**
 * True if a pattern (I-Regexp, RFC 9485) matches the whole text, or a part of it. An invalid
 * pattern matches nothing. The pattern may come from a document, so the budget pays for compiling
 * it.
 *
 * @throws {PageTooCostly}
 */
export function matchesPattern(
  text: string,
  pattern: string,
  isWhole: boolean,
  budget: PageBudget,
): boolean {
  const source = isWhole ? `^(?:${withPlainDots(pattern)})$` : withPlainDots(pattern)
  if (lastPattern?.key !== source) {
    const { units, instructions } = patternCost(source)
    const isSmall = pattern.length <= MAX_PATTERN && instructions <= MAX_SIZE
    if (isSmall) budget.work(COMPILE_STEPS * units)
    lastPattern = { key: source, regex: isSmall ? checkedRegex(source, 0, '', []) : null }
  }
  return (lastPattern.regex?.first(text, budget) ?? null) !== null
}

/** In an I-Regexp a dot is anything but a line feed and a carriage return. */
function withPlainDots(pattern: string): string {
  let plain = ''
  let isClass = false
  for (let position = 0; position < pattern.length; position++) {
    const char = pattern.charAt(position)
    if (char === '\\') plain += char + pattern.charAt(++position)
    else plain += char === '.' && !isClass ? '[^\n\r]' : char
    if (char === '[' || char === ']') isClass = char === '['
  }
  return plain
}
