import { isTag, type Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { textOf } from '../tree/text-content.ts'
import { isWithin } from './item-elements.ts'
import type { BestList } from './repeated-items.ts'
import { isPath, select } from './stable-selector.ts'

/** Minimum number of columns, besides title and address, from which a list is better than its table. */
const LEAST_COLUMNS = 3
const LEAST_TITLES = 0.6
/** Number of rows that are checked. */
const MOST_ROWS = 12

/**
 * True for the rows of a table with several values in a cell, such as a title with its page
 * numbers, or the author and the date of a thread. As a list, each value gets its own column.
 */
export function isTitledTable(page: PageContent, { elements, fields }: BestList): boolean {
  const { title, url } = fields
  const isRich = Object.keys(fields).length >= LEAST_COLUMNS + 2
  if (typeof title !== 'string' || url === undefined || !isRich) return false
  const names = Object.entries(fields).flatMap(([name, field]) => {
    const css = typeof field === 'object' && 'css' in field ? field.css : field
    return OF_TITLE.has(name) || typeof css !== 'string' || isPath(css) ? [] : [css]
  })
  const rows = elements.filter(({ name }) => name === 'tr').slice(0, MOST_ROWS)
  const titled = rows.filter((row) => {
    const element = select(page, title, row)[0]
    if (element?.name !== 'a') return false
    const cell = cellOf(element)
    return (
      (cell !== null &&
        /\p{L}{2}/u.test(textOf(cell, page.budget).replace(textOf(element, page.budget), ''))) ||
      sharesCell(names.flatMap((css) => select(page, css, row).slice(0, 1)))
    )
  })
  return rows.length > 0 && titled.length >= LEAST_TITLES * rows.length
}

/** Columns that are beside a title in its cell. */
const OF_TITLE = new Set(['title', 'url', 'image'])

/** True if two of the elements are in one cell, beside each other. */
function sharesCell(elements: readonly Element[]): boolean {
  const cells = elements.map(cellOf)
  return elements.some((element, index) => {
    const other = elements[cells.indexOf(cells[index] ?? null)]
    return (
      cells[index] !== null &&
      other !== undefined &&
      other !== element &&
      !isWithin(element.startIndex, other) &&
      !isWithin(other.startIndex, element)
    )
  })
}

function cellOf(element: Element): Element | null {
  let cell = element.parent
  while (cell !== null && isTag(cell) && cell.name !== 'td') cell = cell.parent
  return cell !== null && isTag(cell) ? cell : null
}
