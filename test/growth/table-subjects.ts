import { documentTables } from '../../src/engine/extract/document/document-tables.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { joinTables, tablesOfPage } from '../../src/engine/pdf/tables-of-page.ts'
import { ColumnCounts } from '../../src/kernel/text/heading-rows.ts'
import { TEXTS } from './families.ts'
import type { Subject } from './measure.ts'

const free = (): PageBudget => new PageBudget({ steps: Infinity, bytes: Infinity })

export const TABLE_SUBJECTS: readonly Subject[] = [
  {
    name: 'the tables of a PDF',
    families: TEXTS,
    prepare: (text) => {
      const words = Array.from({ length: Math.ceil(text.length / 64) }, (_, index) => ({
        text: `${text.slice(index * 64, index * 64 + 64)} a`,
        left: 100 * (index % 6) + (text.charCodeAt(index * 64) % 7),
        right: 100 * (index % 6) + 90,
        y: 12 * Math.floor(index / 6),
        height: 10,
      }))
      const rules = words.slice(0, 100).map(({ left, y }) => ({ at: y, from: 0, to: left + 400 }))
      return () => {
        const tables = tablesOfPage(words, { horizontal: rules, vertical: rules })
        // Each begins again on its page, and on the next one.
        const again = tables.flatMap((table) => [table, table])
        // Without names its first row may be a record, which its numbers tell.
        const numbers = tables.map((table) => ({
          ...table,
          rows: table.rows.map((cells) => cells.map((cell) => cell && String(cell.length))),
        }))
        return [joinTables([again, again]), joinTables([numbers, numbers])]
      }
    },
  },
  {
    name: 'the tables of a document',
    families: TEXTS,
    prepare: (text, budget = free) => {
      // No reader gives wider rows, or more of them.
      const rows = text.split('\n', 1_000_000).map((line) => line.split(/[ ,;<]/).slice(0, 1_000))
      return () => {
        const counts = new ColumnCounts()
        for (const row of rows)
          if (!counts.areNamesIn(row, row) && !counts.areOthersIn(row, row)) counts.add(row)
        return documentTables([{ name: null, page: 1, rows }], budget())
      }
    },
  },
]
