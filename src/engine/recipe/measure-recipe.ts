import { isList } from '../../kernel/json.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isXPath, stateItems } from './field-schema.ts'
import { MAX_START_URLS, TOO_MANY_URLS, countExpanded } from './expand-urls.ts'
import type { Field, Fields, FieldSource, Transform } from './recipe-input.ts'
import { patternCost } from './pattern-cost.ts'
import type { Recipe } from './schema.ts'

/**
 * Maximum number of instructions of one pattern with its counts expanded, checked before compiling.
 * The engine's own limit, on its compiled instructions, is lower.
 */
const MOST_INSTRUCTIONS = 10_000

// Costs in units of `RecipeSize`. `test/engine/recipe/recipe-size.test.ts` checks them against
// the worst case of each kind.
const SOURCE = 3
const URL_EACH = 2
const URL_CHARACTER = 0.01
const URL_SPECIAL = 0.15
const URL_FOREIGN = 0.5
const URL_BRACE = 0.3
const SELECTOR = { each: 5, character: 0.5, parenthesis: 4, alias: 60 }
const XPATH = { each: 5, character: 0.8 }
const JSON_PATH = { each: 3, character: 0.15 }
const GLOB = { each: 2, character: 0.06 }

/**
 * Pseudo-classes that do not expand to other selectors. Others (`:enabled`, `:button`) are compiled
 * again at each use.
 */
const ALIAS = new RegExp(
  ':(?!(?:not|is|where|matches|has|scope|contains|icontains|empty|root|first-child|' +
    'last-child|only-child|nth-child|nth-last-child|first-of-type|last-of-type|nth-of-type|' +
    String.raw`nth-last-of-type|only-of-type)\b)[a-z]`,
  'gi',
)

/** The size of a recipe, or of its part up to the part that makes it too large to compile. */
export interface MeasuredSize {
  readonly units: number
  /** True if compiling it takes a noticeable part of a turn of the event loop. */
  readonly isLarge: boolean
  readonly tooLarge: Issue | null
}

/** A recipe of this size takes some milliseconds to compile. */
const LARGE = 3_000

/** Measures a recipe. Takes time linear in the recipe's text and compiles nothing. */
export function measureRecipe(recipe: Recipe, most?: number): MeasuredSize {
  const size = new RecipeSize(most)
  try {
    new Measuring(size).recipe(recipe)
    return measured(size, null)
  } catch (error) {
    if (error instanceof RecipeTooLarge) return measured(size, error.issue)
    throw error
  }
}

function measured({ total }: RecipeSize, tooLarge: Issue | null): MeasuredSize {
  return { units: total, isLarge: total >= LARGE, tooLarge }
}

class Measuring {
  readonly #size: RecipeSize
  #urls = 0

  constructor(size: RecipeSize) {
    this.#size = size
  }

  recipe({ start, follow = [], crawl = {}, page = {}, extract }: Recipe): void {
    for (const [index, url] of (start.urls ?? []).entries())
      this.#startUrl(url, `start.urls.${index}`)
    for (const [position, rule] of follow.entries()) {
      if ('next' in rule) {
        this.#finder(rule.next, `follow.${position}.next`)
        continue
      }
      const { links, items, carry } = rule
      this.#finder(links, `follow.${position}.links`)
      if (items !== undefined) this.#finder(items, `follow.${position}.items`)
      if (carry !== undefined) this.#fields(carry, `follow.${position}.carry`)
    }
    for (const list of ['include', 'exclude'] as const) {
      for (const [index, glob] of (crawl[list] ?? []).entries())
        this.#size.take('globs', GLOB.each + glob.length * GLOB.character, `crawl.${list}.${index}`)
    }
    for (const [index, { wait, click, fill }] of (page.actions ?? []).entries()) {
      for (const [verb, selector] of Object.entries({ wait, click, fill }))
        if (typeof selector === 'string') this.#finder(selector, `page.actions.${index}.${verb}`)
    }
    if (extract === undefined || extract === 'auto') return
    if (extract.items !== undefined) this.#finder(extract.items, 'extract.items')
    if (extract.fields !== undefined) this.#fields(extract.fields, 'extract.fields')
  }

  #startUrl(pattern: string, path: string): void {
    this.#size.take('start URLs', (pattern.split('{').length - 1) * URL_BRACE, path)
    const count = countExpanded(pattern, MAX_START_URLS - this.#urls)
    this.#urls += count
    if (this.#urls > MAX_START_URLS) throw new RecipeTooLarge({ path, message: TOO_MANY_URLS })
    let [special, foreign] = [0, 0]
    for (let position = 0; position < pattern.length; position++) {
      const code = pattern.charCodeAt(position)
      if (code === 0x25 || code === 0x26) special++
      else if (code > 0x7e || code <= 0x20) foreign++
    }
    this.#size.take(
      'start URLs',
      count *
        (URL_EACH + pattern.length * URL_CHARACTER + special * URL_SPECIAL + foreign * URL_FOREIGN),
      path,
    )
  }

  #fields(fields: Fields, path: string): void {
    for (const [column, field] of Object.entries(fields)) this.#field(field, `${path}.${column}`)
  }

  #field(field: Field, path: string): void {
    if (!isList(field)) this.#source(field, path)
    else for (const [index, source] of field.entries()) this.#source(source, `${path}.${index}`)
  }

  #source(source: string | FieldSource, path: string): void {
    this.#size.take('fields', SOURCE, path)
    if (typeof source === 'string') {
      this.#finder(source, path)
      return
    }
    const { css, xpath, json, jsonld, state, regex, transform = [], fields } = source
    if (css !== undefined) this.#selector(css, `${path}.css`)
    if (xpath !== undefined) this.#xpath(xpath, `${path}.xpath`)
    if (json !== undefined) this.#jsonPath(json, `${path}.json`)
    if (jsonld !== undefined) this.#jsonPath(jsonld, `${path}.jsonld`)
    if (state !== undefined) this.#jsonPath(state, `${path}.state`)
    if (regex !== undefined) this.#pattern(regex, `${path}.regex`)
    for (const [index, step] of transform.entries())
      this.#transform(step, `${path}.transform.${index}`)
    if (fields !== undefined) this.#fields(fields, `${path}.fields`)
  }

  #transform(step: Transform, path: string): void {
    if (typeof step === 'object' && step.replace !== undefined && 'regex' in step.replace)
      this.#pattern(step.replace.regex, `${path}.replace.regex`)
  }

  /** Measures a text that is a JSONPath, an XPath or a selector; its first character tells which. */
  #finder(text: string, path: string): void {
    const state = stateItems(text)
    if (state !== null) this.#jsonPath(state, path)
    else if (text.startsWith('$')) this.#jsonPath(text, path)
    else if (isXPath(text)) this.#xpath(text, path)
    else this.#selector(text, path)
  }

  #selector(css: string, path: string): void {
    const aliases = css.match(ALIAS)?.length ?? 0
    const parentheses = css.split('(').length - 1
    this.#size.take(
      'selectors',
      SELECTOR.each +
        css.length * SELECTOR.character +
        parentheses * SELECTOR.parenthesis +
        aliases * SELECTOR.alias,
      path,
    )
  }

  #xpath(xpath: string, path: string): void {
    this.#size.take('paths', XPATH.each + xpath.length * XPATH.character, path)
  }

  #jsonPath(jsonPath: string, path: string): void {
    this.#size.take('paths', JSON_PATH.each + jsonPath.length * JSON_PATH.character, path)
  }

  #pattern(source: string, path: string): void {
    const { instructions, units } = patternCost(source)
    if (instructions > MOST_INSTRUCTIONS) {
      const size = Math.min(instructions, Number.MAX_SAFE_INTEGER).toLocaleString('en')
      throw new RecipeTooLarge({
        path,
        message:
          'is too large a pattern: counts such as {1,100} are expanded, nested counts multiply, ' +
          `and this makes ${size} instructions; the limit is ` +
          MOST_INSTRUCTIONS.toLocaleString('en'),
      })
    }
    this.#size.take('patterns', units, path)
  }
}

/**
 * Maximum size of a recipe. One unit is about a microsecond of work to read and compile the recipe.
 * A start URL costs 2 or 3, a selector about 15, a small pattern about 60. So 10,000 start URLs and
 * 200 columns fit together.
 */
export const MAX_RECIPE_SIZE = 50_000

/** The parts of a recipe's size, each with advice if it is too large. */
const WAYS_OUT = {
  'start URLs': 'divide the start URLs among several tasks',
  fields: 'use fewer fields, or fewer sources for each',
  selectors: 'use fewer or shorter selectors',
  paths: 'use fewer or shorter XPaths and JSONPaths',
  patterns: 'use fewer or simpler patterns',
  globs: 'use fewer or shorter globs',
} as const

/** A part of a recipe that takes work to read. */
type RecipePart = keyof typeof WAYS_OUT

/** Thrown to stop reading a recipe that is too large. */
class RecipeTooLarge extends Error {
  override readonly name = 'RecipeTooLarge'
  readonly issue: Issue

  constructor(issue: Issue) {
    super(issue.message)
    this.issue = issue
  }
}

/** The running total of one recipe's size. */
class RecipeSize {
  readonly #most: number
  readonly #unitsByPart = new Map<RecipePart, number>()
  #total = 0

  constructor(most = MAX_RECIPE_SIZE) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /**
   * Adds the cost of the part at `path`.
   *
   * @throws {RecipeTooLarge}
   */
  take(part: RecipePart, units: number, path: string): void {
    this.#unitsByPart.set(part, (this.#unitsByPart.get(part) ?? 0) + units)
    this.#total += units
    if (this.#total > this.#most) throw new RecipeTooLarge({ path, message: this.#message() })
  }

  #message(): string {
    const parts = [...this.#unitsByPart].toSorted(([, a], [, b]) => b - a)
    const shares = parts.map(([part, units]) => `${part} ${sizeText(units)}`).join(', ')
    const [largest = 'fields'] = parts[0] ?? []
    return (
      `makes the recipe too large: its size up to here is ${sizeText(this.#total)} (${shares}), ` +
      `and the limit is ${sizeText(this.#most)}; ${WAYS_OUT[largest]}`
    )
  }
}

function sizeText(units: number): string {
  return Math.ceil(units).toLocaleString('en')
}
