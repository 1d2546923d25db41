import type { RE2JS } from 're2js'
import type { PageBudget } from '../page/page-budget.ts'
import type { Issue } from '../../../kernel/errors.ts'

/** Characters of one text that are searched. */
const MAX_TEXT = 100_000
/** Instructions of a compiled pattern: nested counts multiply them. */
const MAX_SIZE = 1_000
/**
 * Up to this size an instruction costs nothing worth counting; the cost of a larger pattern grows
 * with the square.
 */
const SMALL_SIZE = 14
const MAX_MATCHES = 10_000
const SEARCHED = 'characters to search'

/** Why a pattern cannot be used; the message is fit for the caller. */
class RegexError extends Error {
  override readonly name = 'RegexError'
}

interface Compiled {
  readonly pattern: RE2JS
  readonly group: string | number
  /** Work of one character, in characters of a small pattern. */
  readonly cost: number
  /** Every search is paid for as if it went to the end of the text. */
  readonly paysToEnd: boolean
}

let engine: typeof RE2JS | null = null

/** Loads the engine, which is too large for those who have no patterns. */
export async function loadRegexEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/**
 * A pattern in RE2 syntax (that of JavaScript without lookaround and backreferences), in time
 * linear in the text. It is compiled at once where the engine is loaded, and at its first use
 * otherwise.
 */
class LinearRegex {
  readonly #source: string
  readonly #wanted: string | number | undefined
  #compiled: Compiled | null = null

  /**
   * `group`: which group is the value; by default the first, or the whole match where there is
   * none.
   *
   * @throws {RegexError} where the engine is loaded
   */
  constructor(source: string, group?: string | number) {
    this.#source = source
    this.#wanted = group
    if (engine !== null) this.#use()
  }

  /** The value of the first match. */
  first(text: string, budget: PageBudget): string | null {
    for (const value of this.#matches(text, budget)) return value
    return null
  }

  /** The values of all matches. */
  all(text: string, budget: PageBudget): string[] {
    return [...this.#matches(text, budget)]
  }

  /** The text with each match replaced; `$1` and `$<name>` in `replacement` are groups. */
  replace(text: string, replacement: string, budget: PageBudget): string {
    const { pattern } = this.#use()
    const input = text.slice(0, MAX_TEXT)
    let matches = 0
    const matcher = pattern.matcher(input)
    for (let from = 0; this.#find(matcher, from, input, budget); matches++) from = matcher.end()
    if (text.length > MAX_TEXT) budget.cut(SEARCHED, MAX_TEXT)
    if (matches === 0) return text
    // What stands for a match is at most the replacement with the whole match in place of each
    // group that it names.
    const groups = replacement.split('$').length - 1
    budget.make(matches * replacement.length + groups * input.length)
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
    // Whoever wants the first match alone, and has it, does not come here.
    if (text.length > MAX_TEXT) budget.cut(SEARCHED, MAX_TEXT)
  }

  /** Finds the next match, from a place on, and pays for what the engine has looked at. */
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
        `${shown} is too large: counts such as {1,100} are written out, and those inside others multiply`,
      )
    const group = this.#wanted ?? (pattern.groupCount() > 0 ? 1 : 0)
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
 * Whether the engine may look far beyond the end of a match, so that all matches together can take
 * the square of the text: at each `a` to the end of the text for `a(?:.*b)?` and `.*b|a`. That
 * takes an unbounded repetition, and a way around it: an alternative beside it, or a repetition of
 * the group that it is in.
 */
function looksAhead(source: string): boolean {
  const bare = source.replace(/\\./gs, 'x').replace(/\[[^[\]]*\]/g, 'x')
  // What is not understood is taken for the worst: a bracket that is left over may hide a
  // parenthesis.
  if (/[[\]]/.test(bare)) return true
  const open: { unbounded: boolean; choice: boolean }[] = []
  let here = { unbounded: false, choice: false }
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at]
    if (char === '(') {
      open.push(here)
      here = { unbounded: false, choice: false }
    } else if (char === ')') {
      if (here.unbounded && (here.choice || '*+?{'.includes(bare[at + 1] ?? ' '))) return true
      const outer = open.pop()
      if (outer === undefined) return true
      here = { ...outer, unbounded: outer.unbounded || here.unbounded }
    } else if (char === '|') here.choice = true
    else if (
      char === '*' ||
      char === '+' ||
      (char === '{' && OPEN_COUNT.test(bare.slice(at, at + 12)))
    )
      here.unbounded = true
  }
  return open.length > 0 || (here.unbounded && here.choice)
}

const OPEN_COUNT = /^\{\d{1,8},\}/

/** Steps of one search. A character of a small pattern takes some 40 ns. */
function stepsOf(length: number, cost: number): number {
  return Math.ceil((length * cost + 16) * 1.6)
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read'
  return /\(\?[=!<]|\\[1-9]/.test(message)
    ? 'lookahead, lookbehind and backreferences are not supported, as they can take time without bound'
    : message.replace(/^error parsing regexp: /, '')
}

/**
 * Reads a pattern of a recipe; what is wrong with it becomes an issue at `at`, and `null` is
 * returned.
 */
export function checkedRegex(
  source: string,
  group: string | number | undefined,
  at: string,
  issues: Issue[],
): LinearRegex | null {
  try {
    return new LinearRegex(source, group)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    issues.push({ path: at, message: error.message })
    return null
  }
}
