import { isTag, type Element } from 'domhandler'
import type { Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { walkParts } from '../tree/text-content.ts'

/**
 * Maximum number of cells that are added to make all rows equally long, besides as many as the
 * table has.
 */
const PADDING = 1_000
/** Maximum number of columns that the cells of a row may span. */
const MOST_SPANNED = 100
/** Steps to visit a node of the page. */
const WALK_STEPS = 4

/**
 * Returns the tables below an element that hold records: several columns, and no tables inside.
 * Other tables are only for layout.
 */
export function* recordTables(root: Element, budget: PageBudget): Parts<ReadonlySet<Element>> {
  const tables = new Set<Element>()
  const open: Element[] = root.name === 'table' ? [root] : []
  yield* walkParts(
    root,
    (node) => {
      budget.unpaid(WALK_STEPS)
      const table = open.at(-1)
      if (!isTag(node)) return true
      if (node.name === 'table') {
        for (const outer of open.splice(0)) tables.delete(outer)
        if (node.children.length > 0) open.push(node)
      } else if (
        node.name === 'tr' &&
        table !== undefined &&
        !/^(?:presentation|none)$/.test(table.attribs['role'] ?? '') &&
        node.children.filter(isCell).length > 1
      )
        tables.add(table)
      return true
    },
    (node) => {
      if (isTag(node) && node === open.at(-1)) open.pop()
    },
  )
  return tables
}

/** True for `td` and `th`. */
export function isCell(node: object): node is Element {
  return 'name' in node && (node.name === 'td' || node.name === 'th')
}

/** Collects the cells of a table. */
export class TableRows {
  readonly #rows: string[][] = []
  readonly #aligns: string[] = []
  #cells = 0
  #spanned = 0

  row(): void {
    this.#rows.push([])
  }

  cell(content: string, { attribs }: Element): void {
    const row = this.#rows.at(-1)
    if (row === undefined) return
    if (this.#rows.length === 1) this.#aligns.push(attribs['align']?.toLowerCase() ?? '')
    row.push(content)
    this.#cells++
    const span = Number(attribs['colspan'] ?? 1)
    for (
      let more = 1;
      more < span && row.length < MOST_SPANNED && this.#spanned < this.#cells + PADDING;
      more++, this.#spanned++
    )
      row.push('')
  }

  /**
   * Returns the table in GFM. The first row becomes the header, because GFM has no tables without
   * one. `null` if all cells are empty.
   */
  markdown(): string | null {
    const rows = this.#rows.filter((row) => row.some((cell) => cell !== ''))
    const [head, ...body] = rows
    if (head === undefined) return null
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
    let padding = this.#cells + PADDING
    const line = (row: readonly string[]): string => {
      const missing = Math.min(width - row.length, padding)
      padding -= missing
      return `| ${[...row, ...Array.from({ length: missing }, () => '')].join(' | ')} |`
    }
    const rule = Array.from({ length: width }, (_, index) => ruleOf(this.#aligns[index]))
    return [
      line([...head, ...Array.from({ length: width - head.length }, () => '')]),
      line(rule),
      ...body.map(line),
    ].join('\n')
  }
}

function ruleOf(align: string | undefined): string {
  return align === 'right'
    ? '---:'
    : align === 'center'
      ? ':---:'
      : align === 'left'
        ? ':---'
        : '---'
}
