import * as v from 'valibot'
import type { GenericSchema } from 'valibot'
import { badRequest } from '../../kernel/errors.ts'
import type { Issue, PlatformError } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { nearest } from '../../kernel/names.ts'
import { namedOrigins, readUrl } from './expand-urls.ts'
import { blamed, checkValues, textAt } from './fill-blanks.ts'
import type { Blanks, ParamValues } from './fill-blanks.ts'
import { BLANK, fillTexts, namesIn, wholeBlank } from './param-texts.ts'
import type { TextKind } from './param-texts.ts'
import { checkRecipe } from './parse-recipe.ts'
import type { ParsedRecipe } from './parse-recipe.ts'
import type { RecipeInput } from './recipe-input.ts'
import type { Recipe } from './schema.ts'

type Params = NonNullable<Recipe['params']>
type Param = Params[string]

const LONGEST_TEXT = 2_000
/** Values are stored and shown with the execution. */
const LONGEST_VALUES = 10_000
/**
 * Maximum number of characters of all texts that values fill, so that a short recipe cannot become
 * a huge one.
 */
const MOST_FILLED = 1_000_000
/** Maximum number of blanks in one text, and maximum number of wrong ones that are named. */
const MOST_BLANKS = 50
const MOST_NAMED = 20
/** The limit of `page.headersTo`. */
const MOST_ORIGINS = 50
const STAND_IN_URL = 'https://example.com/'

/** A recipe whose parameters are filled: it has no `params` any more. */
export interface FilledRecipe {
  readonly recipe: ParsedRecipe
  /** The values that filled it, defaults included. `null`: it has no parameters. */
  readonly params: ParamValues | null
}

/**
 * Fills the parameters of a recipe. A value replaces `{{name}}` only in texts that do not control
 * the recipe, so it cannot change what the recipe does. A recipe without parameters is returned as
 * it is.
 *
 * @example
 *   const recipe = parseRecipe({
 *     params: { city: { type: 'text' } },
 *     start: { urls: ['https://example.com/{{city}}'] },
 *   })
 *   fillRecipe(recipe, { city: 'oslo' }).recipe.recipe.start.urls // ['https://example.com/oslo']
 *
 * @throws {PlatformError} 400 with each unknown, missing and wrong value at its path below `params`,
 *   and with each error of the recipe at its path below `recipe`
 */
export function fillRecipe(recipe: ParsedRecipe, values: Json = {}): FilledRecipe {
  demandDeclared(recipe)
  try {
    return fill(recipe, values)
  } catch (error) {
    throw blamed(error, paramAtPath(recipe))
  }
}

/** @throws {PlatformError} 400 with what is wrong with the declared parameters */
function demandDeclared(recipe: ParsedRecipe): void {
  const wrong = wrongParams(recipe)
  if (wrong.length > 0) throw ofRecipe(wrong)
}

function fill(recipe: ParsedRecipe, values: Json): FilledRecipe {
  const blanks = blanksOf(recipe)
  const checked = checkValues(blanks, values)
  if (recipe.recipe.params === undefined) return { recipe, params: null }
  const complete: ParamValues = JSON.parse(JSON.stringify(checked))
  if (JSON.stringify(complete).length > LONGEST_VALUES)
    throw badRequest([
      { path: 'params', message: `must have at most ${LONGEST_VALUES} characters in all` },
    ])
  const filled = checkRecipe(blanks.recipe(checked))
  if (filled.issues !== null) throw ofRecipe(filled.issues)
  return { recipe: filled.output, params: complete }
}

function ofRecipe(issues: readonly Issue[]): PlatformError {
  return badRequest(
    issues.map(({ path, message }) => ({
      path: path === '' ? 'recipe' : `recipe.${path}`,
      message,
    })),
  )
}

/**
 * Fills the parameters of a recipe with defaults, or with placeholder values if there is no
 * default, so that the recipe can be checked before values are given.
 *
 * @throws {PlatformError} 400 with each error of the recipe at its path below `recipe`
 */
export function fillForCheck(recipe: ParsedRecipe): ParsedRecipe {
  const { params } = recipe.recipe
  if (params === undefined) return recipe
  const values = Object.entries(params).map(([name, param]) => [name, standIn(name, param)])
  demandDeclared(recipe)
  return fill(recipe, Object.fromEntries(values)).recipe
}

/** True if a value is not the default of its parameter. */
export function changesDefaults({ recipe }: ParsedRecipe, values: ParamValues | null): boolean {
  return Object.entries(values ?? {}).some(
    ([name, value]) => recipe.params?.[name]?.default !== value,
  )
}

/**
 * Finds the path of the parameter that fills the text at a path of a recipe: `params` if there are
 * several, `null` if no parameter fills it.
 */
export function paramAtPath({ written }: ParsedRecipe): (path: string) => string | null {
  return (path) => {
    const [name, ...others] = new Set(namesIn(textAt(written, path) ?? ''))
    if (name === undefined) return null
    return others.length === 0 ? `params.${name}` : 'params'
  }
}

/**
 * Limits a recipe's headers to the sites that `start` names. A caller that may start the recipe
 * need not know the keys in its headers.
 */
export function keepsHeaders(
  { written, recipe }: ParsedRecipe,
  start: Recipe['start'],
): Pick<RecipeInput, 'page'> {
  if (recipe.page?.headers === undefined || recipe.page.headersTo !== undefined) return {}
  return { page: { ...written.page, headersTo: namedOrigins(start).slice(0, MOST_ORIGINS) } }
}

function blanksOf(recipe: ParsedRecipe): Blanks {
  const { params = {} } = recipe.recipe
  const { params: _params, ...template } = recipe.written
  return {
    parameters: v.strictObject(
      Object.fromEntries(Object.entries(params).map(([name, param]) => [name, schemaOf(param)])),
    ),
    recipe(values) {
      let filled = 0
      const valueOf = (name: string): string => {
        const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : ''
        const text = String(value).toWellFormed()
        filled += text.length
        if (filled > MOST_FILLED)
          throw badRequest([
            {
              path: `params.${name}`,
              message: `fills more than ${MOST_FILLED.toLocaleString('en')} characters of the recipe`,
            },
          ])
        return text
      }
      return fillTexts({ ...template, ...keepsGivenOut(recipe, params) }, (text, kind) => {
        const names = kind === null ? [] : namesIn(text)
        if (kind === null || names.length === 0) return text
        const complete = text.replaceAll(BLANK, (blank, name: string, position: number) =>
          kind.encode(valueOf(name), text.slice(0, position), text),
        )
        const spoiled = kind.spoiled?.(complete) ?? null
        if (spoiled === null || kind.spoiled?.(text)) return complete
        throw badRequest([{ path: `params.${names[0] ?? ''}`, message: spoiled }])
      })
    },
  }
}

/**
 * Does not send a recipe's headers to URLs from a caller. Defaults in the recipe do not count as
 * such.
 */
function keepsGivenOut(recipe: ParsedRecipe, params: Params): Pick<RecipeInput, 'page'> {
  const { urls = [], sitemap, feed } = recipe.recipe.start
  const isGiven = [...urls, sitemap ?? '', feed ?? ''].some((text) => wholeBlank(text) !== null)
  if (!isGiven) return {}
  const fix = (text: string | undefined): string | undefined => {
    const name = text === undefined ? null : wholeBlank(text)
    const value = name === null ? text : params[name]?.default
    return value === undefined ? undefined : String(value)
  }
  const lists = [fix(sitemap), fix(feed)].flatMap((url) => url ?? [])
  return keepsHeaders(recipe, { urls: [...urls.flatMap((url) => fix(url) ?? []), ...lists] })
}

function schemaOf({ default: value, required, description, ...param }: Param): GenericSchema {
  const type = typeOf(param)
  const described = description === undefined ? type : v.pipe(type, v.description(description))
  if (value !== undefined) return v.exactOptional(described, value)
  return required === false ? v.exactOptional(described) : described
}

function typeOf({ type = 'text' }: Pick<Param, 'type'>): GenericSchema {
  switch (type) {
    case 'text':
      return v.pipe(v.string(), v.maxLength(LONGEST_TEXT))
    case 'number':
      return v.pipe(v.number(), v.finite())
    case 'integer':
      return v.pipe(v.number(), v.safeInteger('must be a whole number'))
    case 'boolean':
      return v.boolean()
    case 'url':
      return v.pipe(
        v.string(),
        v.trim(),
        v.maxLength(LONGEST_TEXT),
        v.check((text) => readUrl(text).url !== null, 'must be a URL with http:// or https://'),
      )
  }
}

function standIn(
  name: string,
  { type = 'text', default: value }: Param,
): string | number | boolean {
  if (value !== undefined) return value
  if (type === 'text') return name
  if (type === 'url') return STAND_IN_URL
  return type === 'boolean' ? true : 1
}

/** Finds the errors of declared parameters and of the texts that they fill. */
function wrongParams({ recipe, written }: ParsedRecipe): Issue[] {
  const { params } = recipe
  if (params === undefined) return []
  const { params: _, ...filled } = written
  const issues: Issue[] = []
  const used = new Set<string>()
  fillTexts(filled, (text, kind, path) => {
    let blanks = 0
    for (const blank of text.matchAll(BLANK)) {
      if (issues.length >= MOST_NAMED) break
      if (++blanks > MOST_BLANKS) {
        issues.push({ path, message: `has more than ${MOST_BLANKS} parameters in it` })
        break
      }
      const [shown, name = ''] = blank
      const param = Object.hasOwn(params, name) ? params[name] : undefined
      const message = param
        ? blankProblem(shown, param, kind, text, blank.index)
        : kind && unknownBlank(shown, name, Object.keys(params))
      if (param) used.add(name)
      if (message !== null) issues.push({ path, message })
    }
    return text
  })
  for (const [name, param] of Object.entries(params)) {
    const path = `params.${name}`
    if (!used.has(name))
      issues.push({ path, message: `is used nowhere: write {{${name}}} where its value goes` })
    if (param.default === undefined) continue
    const checked = v.safeParse(typeOf(param), param.default)
    if (!checked.success)
      issues.push({
        path: `${path}.default`,
        message: `must be of the type ${param.type ?? 'text'}`,
      })
    if (param.required === true)
      issues.push({
        path: `${path}.required`,
        message: 'a parameter with a default is not required',
      })
  }
  return issues
}

function unknownBlank(shown: string, name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return `${shown} is not a parameter of the recipe${near === null ? '' : `; did you mean {{${near}}}?`}`
}

function blankProblem(
  shown: string,
  { type = 'text' }: Param,
  kind: TextKind | null,
  text: string,
  position: number,
): string | null {
  if (kind === null)
    return (
      `${shown} cannot be here, where a value could change what the recipe does. Parameters fill ` +
      'URLs, search terms, URL patterns, values of headers and of actions, and `const`, `model`, ' +
      '`prefix`, `suffix` and `default` of fields'
    )
  const problem = kind.problem(type, text, position)
  return problem && `${shown} ${problem}`
}
