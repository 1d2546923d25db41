import { isTag, type Element } from 'domhandler'
import { spanOf } from '../format/table-grid.ts'
import { hrefIn } from '../page/link-address.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import { within } from './item-elements.ts'
import { COUNTER, WORDS } from './next-link.ts'
import { select } from './stable-selector.ts'

/** Longer texts do not label links to other pages of the list. */
const LONGEST_LABEL = 20
/** Maximum number of elements of a row that are checked. */
const MOST_BELOW = 120
/** `2`, `page 2`, `last`. An arrow alone is not a text. */
const PAGE_LABEL =
  /^(?:(?:(?:page|seite|página|pagina|strona|sida|side|страница) )?\d{1,5}|first|prev|previous|last|)$/iu

/** Returns the selector of the rows without those of headings and of page numbers. */
export function rowsOnly(page: PageContent, css: string): string {
  return withoutPages(page, withoutHeads(page, css))
}

/** The selector of rows without those of headings, whose links sort the table. */
function withoutHeads(page: PageContent, css: string): string {
  const rows = select(page, css, null)
  const isHead = ({ name, parent }: Element): boolean =>
    name === 'tr' && parent !== null && isTag(parent) && parent.name === 'thead'
  if (!rows.some(isHead)) return css
  const below = css.replace(/(^|[ >])tr(?=$|[.:[])/, '$1tbody > tr')
  return select(page, below, null).length === rows.filter((row) => !isHead(row)).length
    ? below
    : css
}

/** The selector of rows without the numbers of other pages above and below a list of threads. */
function withoutPages(page: PageContent, css: string): string {
  const rows = select(page, css, null)
  if (rows.length < 2 || !rows.every(({ name }) => name === 'tr')) return css
  const [first, last] = [rows[0], rows.at(-1)].map((row) =>
    row === undefined ? null : counterOf(page, row),
  )
  const counter = first ?? last ?? null
  if (counter === null) return css
  const rest = rows.slice(first === null ? 0 : 1, last === null ? undefined : -1)
  // The rows of another page may begin and end differently, so page numbers are recognised by their
  // address.
  const without = `${css}:not(:has(> :only-child a[href*="${counter}"]))`
  return areSame(select(page, without, null), rest) ? without : css
}

function areSame(some: readonly Element[], others: readonly Element[]): boolean {
  return some.length === others.length && some.every((row, index) => row === others[index])
}

function cellsOf({ children }: Element, budget: PageBudget): readonly Element[] {
  budget.work(children.length)
  return children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th')
}

/**
 * The number of columns of the table that a row is in. A cell that extends into a row from above
 * counts in the row in which it begins.
 */
function widthAround({ parent }: Element, budget: PageBudget): number {
  const rows = parent === null ? [] : parent.children.filter(isTag)
  return rows.reduce((most, row) => {
    const width = cellsOf(row, budget).reduce((sum, cell) => sum + spanOf(cell, 'colspan', 1), 0)
    return Math.max(most, width)
  }, 0)
}

/**
 * For a row of one cell over all columns whose links lead to other pages of the list: returns the
 * part of their address before the page number, such as `?page=`. `null`: it is not such a row.
 */
function counterOf(page: PageContent, row: Element): string | null {
  const { budget } = page
  const [cell, second] = cellsOf(row, budget)
  if (cell === undefined || second !== undefined) return null
  if (spanOf(cell, 'colspan', 1) < widthAround(row, budget)) return null
  const links = within(cell, budget, MOST_BELOW).filter(({ name }) => name === 'a')
  let counter: string | null = null
  for (const link of links) {
    const text = textStart(link, LONGEST_LABEL + 1, budget)
    const label = text.replace(/[^\p{L}\d ]/gu, '').trim()
    const [start] = COUNTER.exec(hrefIn(link) ?? '') ?? []
    if (start === undefined || !(PAGE_LABEL.test(label) || WORDS.test(label))) return null
    counter ??= start.slice(0, -1)
  }
  return counter
}
