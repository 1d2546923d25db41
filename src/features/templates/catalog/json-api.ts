import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

const path = (description: string) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.startsWith('$', 'must be a JSONPath, which begins with $'),
    v.maxLength(500),
    v.description(description),
  )

/** Endpoints that answer with JSON. */
export const jsonApi = defineTemplate({
  id: 'json-api',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'JSON API',
  description:
    'Records of a JSON endpoint as rows, page after page: by the address of the next page, ' +
    'or by a cursor or page number that becomes a query parameter.',
  categories: ['apis', 'lists'],
  parameters: v.strictObject({
    url: urlOf('Address of the first page; it may contain {1..20} for numbered pages.'),
    items: path('JSONPath of the records, such as $.data[*].'),
    fields: v.pipe(
      v.record(
        v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
        path('JSONPath from the record.'),
      ),
      v.minEntries(1),
      v.maxEntries(100),
      v.description('Column to JSONPath from the record, such as {"name": "$.title"}.'),
    ),
    next: v.exactOptional(
      path('JSONPath of the address of the next page, or of the value of the query parameter.'),
    ),
    param: v.exactOptional(
      v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1),
        v.maxLength(100),
        v.description('Query parameter that gets the value of `next`, if that is not a URL.'),
      ),
    ),
    maxPages: pagesOf(100, 'Maximum number of pages to fetch.'),
  }),
  example: {
    url: 'https://api.buoys.example.com/v2/stations?limit=2',
    items: '$.stations[*]',
    fields: { id: '$.id', name: '$.name', latitude: '$.position.lat', tags: '$.tags' },
    next: '$.meta.cursor',
    param: 'cursor',
  },
  columns: null,
  sample: SAMPLES['json-api'] ?? [],
  typicalPages: 10,
  recipe: ({ url, items, fields, next, param, maxPages }) => ({
    start: { urls: [url] },
    ...(next !== undefined && {
      follow: [{ next, ...(param !== undefined && { param }), maxPages }],
    }),
    crawl: { maxPages },
    page: { headers: { Accept: 'application/json' } },
    extract: {
      items,
      fields: Object.fromEntries(
        Object.entries(fields).map(([column, json]) => [column, { json }]),
      ),
    },
  }),
})
