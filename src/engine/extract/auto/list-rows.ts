import { isTag, type Element } from 'domhandler'
import { spanOf } from '../format/table-grid.ts'
import { hrefIn } from '../page/link-address.ts'
import { inSlices, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import type { Field } from '../../recipe/recipe-input.ts'
import { within } from './item-elements.ts'
import { COUNTER, WORDS } from './next-link.ts'
import { isFound, isPath, select, selectParts } from './stable-selector.ts'

/** Longer texts do not label links to other pages of the list. */
const LONGEST_LABEL = 20
/** Maximum number of elements of a row that are checked. */
const MOST_BELOW = 120
/** `2`, `page 2`, `last`. An arrow alone is not a text. */
const PAGE_LABEL =
  /^(?:(?:(?:page|seite|página|pagina|strona|sida|side|страница) )?\d{1,5}|first|prev|previous|last|)$/iu

/** Minimum number of cells of a record, and minimum share of the rows with as many cells. */
const LEAST_CELLS = 3
const LEAST_ALIKE = 0.7

/**
 * The rows of a table without those that have at most half as many cells as most of them, a text in
 * one cell at most, and lead elsewhere: headings of sections, and rows of a table beside it. An
 * item that is cancelled has few cells, too, but its link is like the others, or it has a date.
 */
export function recordRows(items: readonly Element[], budget: PageBudget): readonly Element[] {
  const least = leastCells(items, budget)
  return least === 0 ? items : items.filter((row) => cellsOf(row, budget).length >= least)
}

/**
 * The minimum number of cells of a record among rows. `0`: no number of cells is usual, or some
 * rows with fewer may be records.
 */
function leastCells(items: readonly Element[], budget: PageBudget): number {
  if (!items.every(({ name }) => name === 'tr')) return 0
  const byCells = Map.groupBy(items, (row) => cellsOf(row, budget).length)
  const usual = [...byCells].find(
    ([cells, rows]) => cells >= LEAST_CELLS && rows.length >= LEAST_ALIKE * items.length,
  )
  if (usual === undefined) return 0
  const [count, records] = usual
  const few = [...byCells].flatMap(([cells, rows]) => (cells <= count / 2 ? rows : []))
  if (few.length === 0) return 0
  const targets = new Set(records.map((row) => targetOf(row, budget)))
  // A row of headings has no link.
  targets.delete('')
  const mayBeRecord = (row: Element): boolean =>
    targets.has(targetOf(row, budget)) ||
    cellsOf(row, budget).filter((cell) => textStart(cell, 1, budget) !== '').length > 1
  return targets.size === 0 || few.some(mayBeRecord) ? 0 : Math.floor(count / 2) + 1
}

/** The address of a row's first link without what differs between items: `/boards/?id`. */
function targetOf(row: Element, budget: PageBudget): string {
  const link = within(row, budget, MOST_BELOW).find(({ name }) => name === 'a')
  const [path = '', query = ''] = (link === undefined ? null : hrefIn(link))?.split('?', 2) ?? []
  const folder = query === '' ? path.slice(0, path.lastIndexOf('/') + 1) : path
  const names = query.split('&').map((part) => part.split('=', 1)[0])
  return link === undefined ? '' : `${folder.replace(/\d+/g, '')}?${names.join('&')}`
}

/** Returns the selector of the rows without those of headings, of sections and of page numbers. */
export function* rowsOnly(
  page: PageContent,
  css: string,
  items: readonly Element[],
): Parts<string> {
  const rows = yield* withoutHeads(page, css)
  return yield* withoutSections(page, yield* withoutPages(page, rows), items)
}

/** The selector of rows without those that have much fewer cells than most items. */
function* withoutSections(
  page: PageContent,
  css: string,
  items: readonly Element[],
): Parts<string> {
  const { budget } = page
  const least = leastCells(items, budget)
  if (least === 0) return css
  const rows = yield* selectParts(page, css)
  const records = rows.filter((row) => cellsOf(row, budget).length >= least)
  if (records.length === rows.length) return css
  const alike = `${css}:has(> :nth-child(${least}))`
  return areSame(yield* selectParts(page, alike), records) ? alike : css
}

/** The selector of rows without those of headings, whose links sort the table. */
function* withoutHeads(page: PageContent, css: string): Parts<string> {
  const rows = yield* selectParts(page, css)
  const isHead = ({ name, parent }: Element): boolean =>
    name === 'tr' && parent !== null && isTag(parent) && parent.name === 'thead'
  if (!rows.some(isHead)) return css
  const below = css.replace(/(^|[ >])tr(?=$|[.:[])/, '$1tbody > tr')
  const matches = yield* selectParts(page, below)
  return matches.length === rows.filter((row) => !isHead(row)).length ? below : css
}

/** The selector of rows without the numbers of other pages above and below a list of threads. */
function* withoutPages(page: PageContent, css: string): Parts<string> {
  const rows = yield* selectParts(page, css)
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
  return areSame(yield* selectParts(page, without), rest) ? without : css
}

/** With fewer rows, the first or the last may be a row that has little. */
const LEAST_ROWS = 5
/** Rows whose links are compared with that of the first or the last row. */
const COMPARED = 20
/** Matches the text of a link to more rows: `More articles …`. */
const MORE = new RegExp(
  '^(?:(?:(?:see|show|view|load|read|browse) )?(?:all|more|older)|alle|ältere|mehr|weitere|tous|' +
    String.raw`plus|voir|más|todos|altri|tutti|meer|все|ещё)(?: \p{L}{1,20}){0,2}\P{L}{0,5}$`,
  'iu',
)
/** Longer texts are not that of such a link. */
const LONGEST_MORE = 50
/** Columns that a link to more rows has, too. */
const OF_LINKS = new Set(['title', 'url'])

/**
 * The selector without a first or last row that has no column but a title and a link, where all
 * other rows have one, and that leads elsewhere or says `More`: a heading, or the link to more
 * rows.
 */
export function* withoutEnds(
  page: PageContent,
  css: string,
  fields: Readonly<Record<string, Field>>,
): Parts<string> {
  const columns = Object.entries(fields).flatMap(([name, field]) =>
    OF_LINKS.has(name) ? [] : [selectorOf(field)],
  )
  const selectors = columns.filter((selector) => selector !== null)
  if (selectors.length < 2 || selectors.length < columns.length) return css
  const rows = yield* selectParts(page, css)
  if (rows.length < LEAST_ROWS) return css
  const others = rows.slice(1, -1).slice(0, COMPARED)
  const isBare = (row: Element | undefined): boolean => {
    if (row === undefined || selectors.some((selector) => isFound(page, selector, row)))
      return false
    const target = targetOf(row, page.budget)
    return (
      MORE.test(textStart(row, LONGEST_MORE, page.budget)) ||
      others.every((other) => targetOf(other, page.budget) !== target)
    )
  }
  const rest = rows.slice(isBare(rows[0]) ? 1 : 0, isBare(rows.at(-1)) ? -1 : undefined)
  if (rest.length === rows.length) return css
  for (const selector of selectors.filter((candidate) => IN_HAS.test(candidate))) {
    yield
    const only = `${css}:has(${selector})`
    if (areSame(yield* selectParts(page, only), rest)) return only
  }
  return css
}

/** A selector that can stand in `:has()`. */
const IN_HAS = /^(?!\.\/)[\w.[](?!.*:(?:has|scope))/

/** The CSS selector or the XPath of a column. `null`: it has several, or another source. */
function selectorOf(field: Field): string | null {
  if (typeof field === 'string') return field
  if (!('css' in field || 'xpath' in field)) return null
  return field.css ?? field.xpath ?? null
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

/** Elements without a title among the items, such as a row of headings or of page numbers. */
const MOST_UNTITLED = 0.4

/** The selector of the items, without those that have neither a title nor a link. */
export function* withTitle(
  page: PageContent,
  css: string,
  fields: Record<string, Field>,
): Parts<string> {
  const names = [fields['title'], fields['url']].flatMap((field) => {
    const selector = typeof field === 'object' && 'css' in field ? field.css : field
    return typeof selector === 'string' ? [selector] : []
  })
  const [title, url] = names
  if (title === ':scope') return yield* withText(page, css)
  if (
    title === undefined ||
    url === undefined ||
    !names.every((name) => /^[\w.[](?!.*:has)/.test(name) && !isPath(name))
  )
    return css
  const matches = yield* selectParts(page, css)
  let bare = 0
  for (const slice of inSlices(matches)) {
    yield
    for (const item of slice)
      if (names.every((name) => select(page, name, item).length === 0)) bare++
  }
  yield
  if (bare === 0 || bare > MOST_UNTITLED * matches.length) return css
  const titled = `${css}:has(${title})`
  return (yield* selectParts(page, titled)).length >= matches.length - bare ? titled : css
}

/** The selector of links with a text, without links of their kind that hold only a nameless picture. */
function* withText(page: PageContent, css: string): Parts<string> {
  const links = yield* selectParts(page, css)
  const texts: Element[] = []
  for (const slice of inSlices(links)) {
    texts.push(...slice.filter((link) => isNamed(link, page.budget)))
    yield
  }
  if (texts.length === links.length || texts.length < (1 - MOST_UNTITLED) * links.length) return css
  const only = `${css}:not(:has(> img))`
  const matches = yield* selectParts(page, only)
  return matches.length === texts.length && matches.every((link, index) => link === texts[index])
    ? only
    : css
}

/** Number of elements of a link among which its pictures are. */
const MOST_IN_LINK = 20
/** Matches a word. The name of a file, which some programs write for a picture, is none. */
const NAME = /\p{L}/u
const FILE = /^\S*\.[a-z]{3,4}$/i

/** True for a link with a text, or with a picture that has a name, such as the logo of a company. */
function isNamed(link: Element, budget: PageBudget): boolean {
  if (textStart(link, 1, budget) !== '') return true
  return [link, ...within(link, budget, MOST_IN_LINK)].some(({ attribs }) =>
    [attribs['alt'], attribs['title'], attribs['aria-label']].some(
      (name = '') => NAME.test(name) && !FILE.test(name.trim()),
    ),
  )
}
