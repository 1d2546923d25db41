import type { FieldSource } from '../../../engine/recipe/recipe-input.ts'

/**
 * A member of a JSON-LD object of one of these types, anywhere in the page's JSON-LD. The first
 * type that has the member wins.
 */
export function stated(
  types: readonly string[],
  path: string,
  more: Omit<FieldSource, 'jsonld'> = {},
): FieldSource[] {
  return types.map((type) => ({ jsonld: `$..[?(@['@type']=='${type}')].${path}`, ...more }))
}

/** The value of an element with this microdata property. */
export function marked(property: string, more: Omit<FieldSource, 'css'> = {}): FieldSource {
  return { css: `[itemprop~="${property}"]`, ...more }
}

/** Members of a JSON-LD object, relative to it. The first path with a match wins. */
export function members(
  paths: readonly string[],
  more: Omit<FieldSource, 'json'> = {},
): FieldSource[] {
  return paths.map((path) => ({ json: `$.${path}`, ...more }))
}

/** JSONPath of every JSON-LD object of a type, at any depth. */
export function objectsOf(type: string): string {
  return `$..[?(@['@type']=='${type}')]`
}

/**
 * A selector of the elements that match any of these selectors. Elements inside another match are
 * left out.
 */
export function outermost(selectors: readonly string[]): string {
  const any = `:is(${selectors.join(', ')})`
  return `${any}:not(${any} *)`
}
