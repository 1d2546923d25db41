import type { RE2JS } from 're2js'

/** Characters of one text that are searched. */
const MAX_TEXT = 100_000
/** Instructions of a compiled pattern: nested counts multiply them. */
const MAX_SIZE = 1_000
/** Up to this size an instruction costs nothing worth counting; the cost of a larger pattern grows with the square. */
const SMALL_SIZE = 14
const MAX_MATCHES = 10_000

/** What the patterns of one page may still cost, in characters of a small pattern. */
export interface RegexWork {
  left: number
}

/** A fresh allowance for one page: at worst some 0.4 s. */
export function startRegexWork(): RegexWork {
  return { left: 10_000_000 }
}

/** Why a pattern cannot be used; the message is fit for the caller. */
export class RegexError extends Error {
  override readonly name = 'RegexError'
}

let engine: typeof RE2JS | null = null

/** Loads the engine, which is too large for those who have no patterns. */
export async function loadRegexEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/**
 * A pattern in RE2 syntax (that of JavaScript without lookaround and backreferences), in time linear in the text. It is
 * compiled at once where the engine is loaded, and at its first use otherwise.
 */
export class LinearRegex {
  readonly #source: string
  readonly #wanted: string | number | undefined
  #compiled: { readonly pattern: RE2JS; readonly group: string | number; readonly cost: number } | null = null

  /** `group`: which group is the value; by default the first, or the whole match where there is none. @throws {RegexError} where the engine is loaded */
  constructor(source: string, group?: string | number) {
    this.#source = source
    this.#wanted = group
    if (engine !== null) this.#use()
  }

  /** The value of the first match. */
  first(text: string, work: RegexWork): string | null {
    for (const value of this.#matches(text, work)) return value
    return null
  }

  /** The values of all matches. */
  all(text: string, work: RegexWork): string[] {
    return [...this.#matches(text, work)]
  }

  /** The text with each match replaced; `$1` and `$<name>` in `replacement` are groups. */
  replace(text: string, replacement: string, work: RegexWork): string {
    const { pattern, cost } = this.#use()
    const input = text.slice(0, MAX_TEXT)
    // Each search is paid for as if it went to the end.
    let matches = 0
    const matcher = pattern.matcher(input)
    while (matches < MAX_MATCHES && spend(work, input.length * cost) && matcher.find()) matches++
    if (matches === 0 || work.left < 0) return text
    return pattern.matcher(input).replaceAll(replacement) + text.slice(MAX_TEXT)
  }

  *#matches(text: string, work: RegexWork): Generator<string> {
    const { pattern, group, cost } = this.#use()
    const input = text.slice(0, MAX_TEXT)
    const matcher = pattern.matcher(input)
    let from = 0
    for (let count = 0; count < MAX_MATCHES && spend(work, (input.length - from) * cost) && matcher.find(); count++) {
      from = matcher.end()
      const value = matcher.group(group)
      if (value !== null) yield value
    }
  }

  #use(): { readonly pattern: RE2JS; readonly group: string | number; readonly cost: number } {
    return (this.#compiled ??= this.#compile())
  }

  #compile(): { readonly pattern: RE2JS; readonly group: string | number; readonly cost: number } {
    if (engine === null) throw new Error('The regex engine is not loaded: await prepareRecipe(recipe) first')
    const shown = JSON.stringify(this.#source.slice(0, 200))
    let pattern: RE2JS
    try {
      pattern = engine.compile(engine.translateRegExp(this.#source))
    } catch (error) {
      throw new RegexError(`${shown} is not a pattern: ${reason(error)}`)
    }
    const size = pattern.programSize()
    if (size > MAX_SIZE) throw new RegexError(`${shown} is too large: counts such as {1,100} are written out, and those inside others multiply`)
    const group = this.#wanted ?? (pattern.groupCount() > 0 ? 1 : 0)
    if (typeof group === 'number' ? group > pattern.groupCount() : !Object.hasOwn(pattern.namedGroups(), group)) {
      throw new RegexError(`${shown} has no group ${JSON.stringify(group)}`)
    }
    return { pattern, group, cost: Math.max(1, (size / SMALL_SIZE) ** 2) }
  }
}

function spend(work: RegexWork, cost: number): boolean {
  if (work.left < 0) return false
  work.left -= cost + 16
  return work.left >= 0
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read'
  return /\(\?[=!<]|\\[1-9]/.test(message) ? 'lookahead, lookbehind and backreferences are not supported, as they can take time without bound' : message.replace(/^error parsing regexp: /, '')
}
