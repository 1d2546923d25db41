import type { Recipe } from './schema.ts'
import { isList } from '../../kernel/json.ts'
import type { Fields } from './recipe-input.ts'

/**
 * Returns the columns of a recipe's rows in order, without compiling the recipe. The list is empty
 * if the columns depend on the rows.
 */
export function columnsOf({ extract, formats }: Recipe): readonly string[] {
  if (extract === 'auto') return []
  const fields = extract?.fields && Object.keys(extract.fields)
  if (extract?.items !== undefined) return fields ?? []
  return [...(fields ?? ['url']), ...new Set(formats ?? (fields ? [] : ['metadata', 'markdown']))]
}

/**
 * The path to media values in a row: column names from the row down to nested fields. Lists add no
 * name to the path.
 */
export type MediaPath = readonly string[]

/** The column of the format `screenshot`. */
export const PICTURE: MediaPath = ['screenshot']

/** Returns the paths of all fields that are read `as: "media"`. */
export function mediaPaths(fields: Fields | undefined): readonly MediaPath[] {
  return Object.entries(fields ?? {}).flatMap(([column, field]) => {
    const sources = (isList(field) ? field : [field]).filter((source) => typeof source !== 'string')
    const nested = sources
      .flatMap((source) => mediaPaths(source.fields))
      .map((path) => [column, ...path])
    return sources.some(({ as }) => as === 'media') ? [[column], ...nested] : nested
  })
}

/** Returns the paths of all media in a recipe's rows: media fields and page screenshots. */
export function mediaOf({ extract, formats = [] }: Recipe): readonly MediaPath[] {
  return [
    ...(extract === 'auto' ? [] : mediaPaths(extract?.fields)),
    ...(formats.includes('screenshot') ? [PICTURE] : []),
  ]
}
