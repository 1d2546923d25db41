import { badRequest } from '../../kernel/errors.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'

/** Columns that say where a row comes from, beside its own. */
export const ORIGIN_COLUMNS: ReadonlyMap<string, ExportColumnType> = new Map([
  ['_page', 'url'],
  ['_fetchedAt', 'date'],
  ['_digest', 'text'],
  ['_sources', 'json'],
])

/**
 * The columns of rows with their origins. `own`: all columns of the rows; `chosen`: those that are
 * wanted.
 *
 * @throws {PlatformError} 400 at `provenance` if the rows have a column of such a name themselves
 */
export function withOrigins(own: readonly string[], chosen: readonly string[]): readonly string[] {
  const conflicts = own.filter((column) => ORIGIN_COLUMNS.has(column))
  if (conflicts.length > 0)
    throw badRequest([
      {
        path: 'provenance',
        message:
          `cannot be added: the rows have columns of their own called ${conflicts.join(', ')}; name ` +
          'these fields differently in the recipe',
      },
    ])
  return [...chosen, ...ORIGIN_COLUMNS.keys()]
}
