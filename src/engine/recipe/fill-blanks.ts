import { isStructure } from '../../kernel/json.ts'
import type { GenericSchema } from 'valibot'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { checkSchema } from '../../kernel/schema.ts'
import type { RecipeInput } from './recipe-input.ts'

/** Values of parameters, by name. */
export type ParamValues = { readonly [name: string]: Json }

/** A recipe with blanks: a template, or a recipe that declares `params`. */
export interface Blanks {
  /** Checks the values, and adds defaults. */
  readonly parameters: GenericSchema<unknown, object>
  /** Makes the recipe from values that the schema has accepted. */
  recipe(values: object): Json
}

/**
 * Fills the blanks of a recipe with a caller's values.
 *
 * @throws {PlatformError} 400 with each missing, unknown and invalid parameter, with its path below
 *   `params`
 */
export function fillBlanks(blanks: Blanks, values: Json): RecipeInput {
  // A recipe is stored as it is written, so `undefined` members are removed.
  return JSON.parse(JSON.stringify(blanks.recipe(checkValues(blanks, values))))
}

/**
 * Checks a caller's values, and adds defaults.
 *
 * @throws {PlatformError} as {@link fillBlanks}
 */
export function checkValues({ parameters }: Blanks, values: Json): object {
  const checked = checkSchema(parameters, values)
  if (checked.issues === null) return checked.output
  const hasNone = 'entries' in parameters && Object.keys(Object(parameters.entries)).length === 0
  throw badRequest(
    checked.issues.map(({ path, message }) => ({
      path: path === '' ? 'params' : `params.${path}`,
      message: hasNone ? 'the recipe declares no parameters' : message,
    })),
  )
}

/**
 * Calls `use` with a recipe whose blanks the caller has filled. The caller has not written the
 * recipe, so an error in it is reported at the parameter that it came from. `paramAt`: the path of
 * that parameter, or `null`.
 *
 * @throws {PlatformError} 400 with paths below `params`, and any other error of `use`
 */
export async function blameParameters<T>(
  paramAt: (path: string) => string | null,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use()
  } catch (error) {
    throw blamed(error, paramAt)
  }
}

/** An error with its issues at the parameters that they came from, as in {@link blameParameters}. */
export function blamed(error: unknown, paramAt: (path: string) => string | null): unknown {
  if (!(error instanceof PlatformError) || error.issues.length === 0) return error
  const issues = error.issues.map((issue) => blame(issue, paramAt))
  return issues.every((issue, index) => issue === error.issues[index]) ? error : badRequest(issues)
}

function blame(issue: Issue, paramAt: (path: string) => string | null): Issue {
  const { path, message } = issue
  if (!path.startsWith('recipe.')) return issue
  const param = paramAt(path.slice('recipe.'.length))
  if (param === null) return issue
  return { path: param, message: param === 'params' ? `${path}: ${message}` : message }
}

/** Finds the parameter of a template that the text at a path of the filled recipe came from. */
export function paramOfText(recipe: JsonObject, values: Json): (path: string) => string {
  return (path) => {
    const wrong = textAt(recipe, path)
    return (wrong === null ? null : pathOfText(values, wrong, 'params')) ?? 'params'
  }
}

/** The text at a dotted path, or `null`. */
export function textAt(recipe: Json, path: string): string | null {
  const value = path.split('.').reduce<Json | undefined>(member, recipe)
  return typeof value === 'string' ? value : null
}

/** The path of a text among the parameters: first an equal text, then a text that contains it. */
function pathOfText(value: Json, text: string, path: string): string | null {
  const texts: { readonly path: string; readonly text: string }[] = []
  const walk = (inner: Json | undefined, walked: string): void => {
    if (typeof inner === 'string' && inner.trim() !== '')
      texts.push({ path: walked, text: inner.trim() })
    else if (isStructure(inner))
      for (const [key, child] of Object.entries(inner)) walk(child, `${walked}.${key}`)
  }
  walk(value, path)
  return (
    (texts.find((inner) => inner.text === text) ?? texts.find((inner) => text.includes(inner.text)))
      ?.path ?? null
  )
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isStructure(value) ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined
}
