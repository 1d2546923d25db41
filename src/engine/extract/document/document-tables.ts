import type { Json, Row } from '../../../kernel/json.ts'
import type { DocumentTable } from '../../../ports/document-reader.ts'
import { atOnce } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'
import { distinctTexts, joinHeadings, titleRows } from '../../../kernel/text/heading-rows.ts'
import { namedRows } from './named-rows.ts'

/** A table of a document as records. */
export interface TableRecords {
  readonly [member: string]: Json
  readonly name: string | null
  readonly page: number
  /** Its title: the lines above the names of the columns. `null`: there are no such lines. */
  readonly caption: string | null
  readonly rows: readonly Row[]
}

/** Steps to read a cell, besides its text. */
const CELL_STEPS = 4

/**
 * Returns the tables of a document as records. Rows above the names of the columns with a single
 * text are the table's caption: the text is in one cell, or in merged cells. Several rows of names
 * become one.
 *
 * @throws {PageTooCostly}
 */
export function documentTables(
  tables: readonly DocumentTable[],
  budget: PageBudget,
): readonly TableRecords[] {
  return tables.map(({ name, page, rows, wide }) => {
    for (const cells of rows) {
      let length = 0
      for (const cell of cells) length += typeof cell === 'string' ? cell.length : 0
      budget.work(CELL_STEPS * cells.length + length)
      budget.make(VALUE_ROOM * cells.length)
    }
    const start = titleRows(rows)
    const isWide = (row: number): boolean => wide?.includes(start + row) ?? true
    const caption = rows.slice(0, start).flatMap((cells) => distinctTexts(cells).slice(0, 1))
    return {
      name,
      page,
      caption: caption.length === 0 ? null : caption.join(' '),
      rows: atOnce(namedRows(joinHeadings(rows.slice(start), isWide), budget)),
    }
  })
}
