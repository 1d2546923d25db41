import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Tables of records. */
export const tables = defineTemplate({
  id: 'tables',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Table to rows',
  description:
    'The largest table of a page as rows, with its headings as columns and numbers as ' +
    'numbers; cells that span rows or columns are in each of them; the following pages of the ' +
    'table too.',
  categories: ['lists', 'research'],
  parameters: v.strictObject({
    url: urlOf('Address of the page with the table.'),
    next: selectorOf(
      'CSS selector of the link to the next page of the table; absent: it is detected.',
    ),
    maxPages: pagesOf(1, 'Maximum number of pages of the table.'),
    values: v.exactOptional(
      v.pipe(
        v.picklist(['typed', 'written']),
        v.description(
          '`typed` (default): columns are named for programs (`unit_price_eur`), numbers are ' +
            'numbers, and links are a column. `written`: headings and cells as the page writes them.',
        ),
      ),
    ),
  }),
  example: { url: 'https://figures.example.com/ferries', maxPages: 2 },
  columns: null,
  sample: SAMPLES['tables'] ?? [],
  typicalPages: 1,
  recipe: ({ url, next, maxPages, values }) => ({
    start: { urls: [url] },
    ...(maxPages > 1 && { follow: [{ next: next ?? ':auto', maxPages }] }),
    crawl: { maxPages },
    extract: { items: values === 'written' ? ':auto(table as written)' : ':auto(table)' },
  }),
})
