import { isTag, type Element } from 'domhandler'
import { walk } from '../tree/text-content.ts'

/** Cells that may be added so that rows are of one length, besides as many as there are. */
const PADDING = 1_000
/** Columns of a row that cells may span. */
const MOST_SPANNED = 100

/**
 * The tables below an element that hold records: of several columns, without tables inside. Others
 * only place what is in them.
 */
export function recordTables(root: Element): ReadonlySet<Element> {
  const found = new Set<Element>()
  const open: Element[] = root.name === 'table' ? [root] : []
  walk(
    root,
    (node) => {
      const table = open.at(-1)
      if (!isTag(node)) return true
      if (node.name === 'table') {
        for (const outer of open.splice(0)) found.delete(outer)
        if (node.children.length > 0) open.push(node)
      } else if (
        node.name === 'tr' &&
        table !== undefined &&
        !/^(?:presentation|none)$/.test(table.attribs['role'] ?? '') &&
        node.children.filter(isCell).length > 1
      )
        found.add(table)
      return true
    },
    (node) => {
      if (isTag(node) && node === open.at(-1)) open.pop()
    },
  )
  return found
}

/** True for `td` and `th`. */
export function isCell(node: object): node is Element {
  return 'name' in node && (node.name === 'td' || node.name === 'th')
}

/** Cells of a table as they are read. */
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
   * The table in GFM; the first row is the header, as it has no tables without. `null` where no
   * cell has anything.
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
    const rule = Array.from({ length: width }, (_, at) => ruleOf(this.#aligns[at]))
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
