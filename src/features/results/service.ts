import { readRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { projector } from '../../engine/export/rows.ts'
import { demandScope } from '../../kernel/preconditions.ts'
import { PlatformError, notFound, badRequest } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { recipeOf } from '../executions/records.ts'
import type { ExecutionRecord } from '../executions/records.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import { chooseColumns, exportRows } from '../common/export-rows.ts'
import { keepsObjects } from '../../engine/export/formats.ts'
import type { ExportFile } from '../common/downloads.ts'
import type { LinkBase, Media } from '../media/service.ts'
import { scopesOfRun } from '../common/run-scopes.ts'
import { readPage, totalOf } from '../common/list-page.ts'
import type { CountedQuery, ListPage } from '../common/list-page.ts'
import type { RowOrigins } from './row-origins.ts'
import { RowReader } from './row-reader.ts'
import type { RowPosition } from './row-reader.ts'
import type { Core } from '../core.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'

/** Filters of the list of rows. */
export interface ResultsQuery extends CountedQuery {
  /** Columns, in this order. Absent: all. */
  readonly fields?: readonly string[]
  /** True: with the columns that say where a row comes from. */
  readonly provenance?: boolean
}

/** A list page of rows, in the order they were found. */
export interface ResultsPage extends ListPage<Row> {
  readonly columns: readonly string[]
}

/** Options of an export. */
export interface ExportQuery {
  /** `csv` (default), `jsonl`, `json`, `xlsx`, `parquet`, `xml` or `html`. */
  readonly format?: string
  readonly fields?: readonly string[]
  /** True: with the columns that say where a row comes from. */
  readonly provenance?: boolean
}

/**
 * Rows of executions. Committed rows can be read while the execution is still running. Links to
 * media start with `base`.
 */
export interface Results {
  /** @throws {PlatformError} 400 for an unknown field; the message lists the known ones */
  list(
    principal: Principal,
    executionId: string,
    query?: ResultsQuery,
    base?: LinkBase,
  ): Promise<ResultsPage>
  /**
   * @throws {PlatformError} 400 for an unknown field or format; the message lists the known ones; 403
   *   without a scope that lets the caller read the execution
   */
  export(
    principal: Principal,
    executionId: string,
    query?: ExportQuery,
    base?: LinkBase,
  ): Promise<ExportFile>
}

const START: RowPosition = [0, 0]

/** The service of results. */
export function createResults(
  { records, blobs, shares, cursors }: Core,
  media: Media,
  pagesOf: PagesOf,
): Results {
  const find = async (account: string, id: string): Promise<ExecutionRecord> => {
    const stored = await records.executions.get(account, id)
    if (!stored) throw notFound('Execution')
    if (stored.value.rowsDeletedAt !== undefined)
      throw new PlatformError('NOT_FOUND', 'The rows of this execution were deleted')
    return stored.value
  }
  const titleOf = async (account: string, { taskId }: ExecutionRecord): Promise<string> => {
    const task = taskId === null ? null : await records.tasks.get(account, taskId)
    return task?.value.name ?? ''
  }
  const chosen = async (
    account: string,
    recipe: ParsedRecipe,
    { fields, provenance = false }: Pick<ResultsQuery, 'fields' | 'provenance'>,
  ): Promise<{ readonly columns: readonly string[]; readonly origins: RowOrigins | null }> => {
    const allColumns = recipe.facts.columns
    const columns = chooseColumns(allColumns, fields)
    if (!provenance) return { columns, origins: null }
    const rowOrigins = await import('./row-origins.ts')
    return {
      columns: withOrigins(allColumns, columns),
      origins: new rowOrigins.RowOrigins(records, account, recipe),
    }
  }
  return {
    async list({ account }, id, query = {}, base) {
      const recipe = readRecipe(recipeOf(await find(account, id)))
      const { facts } = recipe
      const { columns, origins } = await chosen(account, recipe, query)
      const project = projector(columns)
      const context = { account, operation: 'results.list', filter: [id, query.fields ?? null] }
      const page = await readPage(cursors, context, query, async (after, limit) => {
        const reader = new RowReader(records, blobs, account, id, origins)
        const { rows, next } = await reader.slice(positionOf(after), limit)
        return {
          items: await media.linkRows(account, rows.map(project), facts.media, { base }),
          next,
        }
      })
      if (query.count !== true) return { ...page, columns }
      const progress = await records.progress.get(account, id)
      return { ...page, ...totalOf(query, progress?.value.rows ?? 0), columns }
    },

    async export(principal, id, query = {}, base) {
      const { account } = principal
      const execution = await find(account, id)
      demandScope(principal, scopesOfRun(execution))
      const recipe = readRecipe(recipeOf(execution))
      const { facts } = recipe
      const { columns, origins } = await chosen(account, recipe, query)
      const reader = new RowReader(records, blobs, account, id, origins)
      const paths = facts.media.filter(([column = '']) => columns.includes(column))
      return exportRows({
        account,
        shares,
        pagesOf,
        format: query.format,
        columns,
        types: origins === null ? facts.types : new Map([...facts.types, ...ORIGIN_COLUMNS]),
        beside: origins !== null,
        title: await titleOf(account, execution),
        id,
        blocks: (size) => reader.blocks(size),
        ...(paths.length > 0 && {
          media: {
            paths,
            flat: !keepsObjects(query.format),
            sign: (targets) => media.sign(account, targets, base),
          },
        }),
      })
    },
  }
}

function positionOf(after: readonly (string | number)[] | null): RowPosition {
  return after === null ? START : [Number(after[0]), Number(after[1])]
}

/** Columns that say where a row comes from, beside its own. */
const ORIGIN_COLUMNS: ReadonlyMap<string, ExportColumnType> = new Map([
  ['_page', 'url'],
  ['_fetchedAt', 'date'],
  ['_digest', 'text'],
  ['_sources', 'json'],
])

/**
 * The columns of rows with their origins. `own`: all columns of the rows; `chosen`: the requested
 * ones.
 *
 * @throws {PlatformError} 400 at `provenance` if the rows already have a column with such a name
 */
function withOrigins(own: readonly string[], chosen: readonly string[]): readonly string[] {
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
