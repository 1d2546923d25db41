import { namesInstead } from '../../../src/kernel/names.ts'
import { wrongUse } from '../command-error.ts'

/** The parts of a recipe that flags can set. */
export interface RecipeFlags {
  readonly follow?: readonly string[]
  readonly next?: readonly string[]
  readonly items?: string
  readonly field?: readonly string[]
  readonly pages?: number
  readonly concurrency?: number
  readonly ignoreRobots?: boolean
  /** In ms. */
  readonly delay?: number
  readonly depth?: number
  readonly scope?: string
  /** Columns that identify a row. */
  readonly unique?: readonly string[]
  /** `Name: value`. */
  readonly header?: readonly string[]
  /** `name=value`. */
  readonly cookie?: readonly string[]
  readonly render?: boolean
}

/** A part of a recipe under construction; the platform validates the whole. */
type Part = { [key: string]: unknown }

/**
 * A recipe, with the flag or address from which each of its paths came: `extract.fields.price` →
 * `--field price`.
 */
export interface FlagRecipe {
  readonly recipe: Part
  readonly flagOf: ReadonlyMap<string, string>
}

const TYPES = ['text', 'html', 'markdown', 'number', 'integer', 'boolean', 'date', 'url', 'json']

/**
 * Builds a recipe from flags. Several `--follow` are levels: the links of the first lead to pages
 * to which the second applies, and so on. Rows come from the last level. `--next` applies to every
 * level but the last, or to the start pages if there is no `--follow`. Without `--field` the recipe
 * has no fields yet.
 *
 * @throws {CommandError} for a `--field` that is not `name=css`.
 */
export function recipeFromFlags(urls: readonly string[], flags: RecipeFlags): FlagRecipe {
  const { follow = [], next = [], field = [] } = flags
  const flagOf = new Map(originsOf(urls))
  const level = (index: number) =>
    index === 0 ? 'start' : index === follow.length ? 'detail' : `level-${index}`
  const rules: Part[] = []
  for (const [index, links] of follow.entries()) {
    flagOf.set(`follow.${rules.length}`, '--follow')
    rules.push({ links, as: level(index + 1), on: level(index) })
  }
  for (const css of next) {
    for (let index = 0; index < Math.max(1, follow.length); index++) {
      flagOf.set(`follow.${rules.length}`, '--next')
      rules.push({ next: css, on: level(index) })
    }
  }
  const extract: Part = follow.length > 0 ? { on: 'detail' } : {}
  if (flags.items !== undefined) {
    extract['items'] = flags.items
    flagOf.set('extract.items', '--items')
  }
  if (field.length > 0) {
    const fields = field.map(parseField)
    extract['fields'] = Object.fromEntries(fields.map(({ name, source }) => [name, source]))
    for (const { name } of fields) flagOf.set(`extract.fields.${name}`, `--field ${name}`)
  }
  const crawl: Part = {}
  if (flags.concurrency !== undefined) crawl['concurrency'] = flags.concurrency
  if (flags.ignoreRobots) crawl['robots'] = false
  for (const [flag, key] of CRAWL_FLAGS) {
    if (flags[flag] === undefined) continue
    crawl[key] = flags[flag]
    flagOf.set(`crawl.${key}`, `--${flag}`)
  }
  const page = pageOf(flags)
  if ('headers' in page) flagOf.set('page.headers', '--header')
  if ('render' in page) flagOf.set('page.render', '--render')
  const recipe: Part = { start: { urls } }
  if (rules.length > 0) recipe['follow'] = rules
  if (Object.keys(crawl).length > 0) recipe['crawl'] = crawl
  if (Object.keys(page).length > 0) recipe['page'] = page
  if (Object.keys(extract).length > 0) recipe['extract'] = extract
  if (flags.unique) {
    recipe['output'] = { unique: flags.unique }
    flagOf.set('output.unique', '--unique')
  }
  if (flags.pages !== undefined) {
    recipe['budget'] = { pages: flags.pages }
    flagOf.set('budget.pages', '--pages')
  }
  return { recipe, flagOf }
}

/** Start addresses stand for themselves in messages, because no flag has set them. */
export function originsOf(urls: readonly string[]): (readonly [path: string, origin: string])[] {
  return [
    ['start.urls', 'the addresses'],
    ...urls.map((url, index) => [`start.urls.${index}`, url] as const),
  ]
}

/** The parts of `page` of a recipe that flags can set. */
export interface PageSettings {
  readonly headers?: Readonly<Record<string, string>>
  readonly render?: 'browser'
}

const CRAWL_FLAGS = [
  ['delay', 'delayMs'],
  ['depth', 'maxDepth'],
  ['scope', 'scope'],
] as const

/**
 * How pages are requested.
 *
 * @throws {CommandError} for a header that is not `Name: value`, and a cookie that is not
 *   `name=value`
 */
export function pageOf({ header = [], cookie = [], render }: RecipeFlags): PageSettings {
  const headers: Record<string, string> = {}
  for (const text of header) {
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(0, colon))
    if (!/^[\w-]+$/.test(name))
      throw wrongUse('--header must be a name and a value, such as "Accept-Language: de"')
    headers[name] = text.slice(colon + 1).trim()
  }
  if (cookie.some((text) => !/^[^=;\s]+=[^;]*$/.test(text)))
    throw wrongUse('--cookie must be a name and a value, such as session=a1b2')
  if (cookie.length > 0) headers['Cookie'] = cookie.join('; ')
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(render && { render: 'browser' }),
  }
}

/** The same rules with which recipes distinguish a JSONPath and an XPath from a selector. */
export function kindOf(selector: string): 'css' | 'xpath' | 'json' {
  return selector.startsWith('$') ? 'json' : /^(?:\/|\(|\.\/|\.\.)/.test(selector) ? 'xpath' : 'css'
}

/**
 * Parses `name=css`, `name=css@attribute` or `name:type=css`. An XPath or JSONPath may replace the
 * selector. Addresses (`href`, `src`) become absolute.
 */
function parseField(text: string): { name: string; source: Part | string } {
  const [, name = '', type = '', selector = ''] = /^([^=:]+)(?::([a-z]+))?=(.+)$/s.exec(text) ?? []
  if (!name.trim() || !selector.trim())
    throw wrongUse(
      `--field must be name=css, such as --field "title=h1" or --field "image=img@src", not "${text}"`,
    )
  if (type && !TYPES.includes(type))
    throw wrongUse(`--field ${name.trim()}: "${type}" is not a type${namesInstead(type, TYPES)}`)
  const kind = kindOf(selector.trim())
  if (kind !== 'css')
    return {
      name: name.trim(),
      source: type ? { [kind]: selector.trim(), as: type } : selector.trim(),
    }
  const [, css = selector, attr = ''] = /^(.+)@([\w:-]+)$/s.exec(selector) ?? []
  const as = type || (attr === 'href' || attr === 'src' ? 'url' : '')
  const source = { css: css.trim(), ...(attr && { attr }), ...(as && { as }) }
  return { name: name.trim(), source: attr || as ? source : source.css }
}
