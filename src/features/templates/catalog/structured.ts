import type { FieldSource } from '../../../engine/recipe/field-schema.ts'

/** A member of a JSON-LD object of one of these types, wherever in the page's JSON-LD it stands; the first type that has it wins. */
export function stated(types: readonly string[], path: string, more: Omit<FieldSource, 'jsonld'> = {}): FieldSource[] {
  return types.map((type) => ({ jsonld: `$..[?(@['@type']=='${type}')].${path}`, ...more }))
}

/** What an element marked with this microdata property holds. */
export function marked(property: string, more: Omit<FieldSource, 'css'> = {}): FieldSource {
  return { css: `[itemprop~="${property}"]`, ...more }
}
