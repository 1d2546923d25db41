import type { FieldSource } from '../../../engine/recipe/field-schema.ts'

/**
 * A member of a JSON-LD object of one of these types, wherever in the page's JSON-LD it stands; the
 * first type that has it wins.
 */
export function stated(
  types: readonly string[],
  path: string,
  more: Omit<FieldSource, 'jsonld'> = {},
): FieldSource[] {
  return types.map((type) => ({ jsonld: `$..[?(@['@type']=='${type}')].${path}`, ...more }))
}

/** What an element marked with this microdata property holds. */
export function marked(property: string, more: Omit<FieldSource, 'css'> = {}): FieldSource {
  return { css: `[itemprop~="${property}"]`, ...more }
}

/** A JSON-LD object's members, from the object itself: the first path that leads anywhere wins. */
export function members(
  paths: readonly string[],
  more: Omit<FieldSource, 'json'> = {},
): FieldSource[] {
  return paths.map((path) => ({ json: `$.${path}`, ...more }))
}

/** JSONPath of every JSON-LD object of a type, wherever it stands. */
export function objectsOf(type: string): string {
  return `$..[?(@['@type']=='${type}')]`
}

/** A selector of what any of these finds, without what lies inside of another find. */
export function outermost(selectors: readonly string[]): string {
  const any = `:is(${selectors.join(', ')})`
  return `${any}:not(${any} *)`
}
