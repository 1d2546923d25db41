import { badRequest } from '../../kernel/errors.ts'

/**
 * The wanted ones of the known columns, in the wanted order; all where nothing is said.
 *
 * @throws {PlatformError} 400 at `fields`, for an unknown column and for one named twice
 */
export function chooseColumns(
  known: readonly string[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields === undefined) return known
  const unknown = fields.filter((field) => !known.includes(field))
  if (unknown.length > 0)
    throw badRequest([
      { path: 'fields', message: `unknown: ${unknown.join(', ')}; columns: ${known.join(', ')}` },
    ])
  if (new Set(fields).size < fields.length)
    throw badRequest([{ path: 'fields', message: 'names a column twice' }])
  return fields
}
