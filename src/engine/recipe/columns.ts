import type { Recipe } from './schema.ts'
import { isList } from '../../kernel/json.ts'
import type { Fields } from './field-schema.ts'

/**
 * The columns of a recipe's rows, in order, without compiling it; none where they are not known
 * before the rows are.
 */
export function columnsOf({ extract, formats }: Recipe): readonly string[] {
  if (extract === 'auto') return []
  const fields = extract?.fields && Object.keys(extract.fields)
  if (extract?.items !== undefined) return fields ?? []
  return [...(fields ?? ['url']), ...new Set(formats ?? (fields ? [] : ['metadata', 'markdown']))]
}

/**
 * Where media values are in a row: names of columns, from the row's own down to those of nested
 * fields. Lists have no name.
 */
export type MediaPath = readonly string[]

/** The column of the format `screenshot`. */
export const PICTURE: MediaPath = ['screenshot']

/** The places of all fields that are read `as: "media"`. */
export function mediaPaths(fields: Fields | undefined): readonly MediaPath[] {
  return Object.entries(fields ?? {}).flatMap(([column, field]) => {
    const sources = (isList(field) ? field : [field]).filter((source) => typeof source !== 'string')
    const nested = sources
      .flatMap((source) => mediaPaths(source.fields))
      .map((path) => [column, ...path])
    return sources.some(({ as }) => as === 'media') ? [[column], ...nested] : nested
  })
}

/**
 * The places of everything in a recipe's rows that is media: such fields, and the pictures of its
 * pages.
 */
export function mediaOf({ extract, formats = [] }: Recipe): readonly MediaPath[] {
  return [
    ...(extract === 'auto' ? [] : mediaPaths(extract?.fields)),
    ...(formats.includes('screenshot') ? [PICTURE] : []),
  ]
}
