import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { listRecipe } from './lists.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

const QUERY = '{query}'

/** Result pages of a site's own search. */
export const searchResults = defineTemplate({
  id: 'search-results',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Search results',
  description:
    "Results of a site's own search: title, address, text and date, page after page. Works " +
    'for library catalogues, help centres, archives and the like.',
  categories: ['lists', 'research'],
  parameters: v.strictObject({
    url: urlOf(
      `Address of the search, with ${QUERY} where the words belong, such as ` +
        `https://library.example.com/search?q=${QUERY}.`,
    ),
    query: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(500),
      v.description('Words to search for.'),
    ),
    items: selectorOf('CSS selector of one result; absent: results are detected.'),
    next: selectorOf('CSS selector of the link to the next page; absent: it is detected.'),
    maxPages: pagesOf(3, 'Maximum number of pages of results.'),
  }),
  example: {
    url: 'https://archive.example.com/find?words={query}',
    query: 'tide mills',
    maxPages: 2,
  },
  columns: [
    { name: 'title', type: 'text', description: 'Title of the result.' },
    { name: 'url', type: 'url', description: 'Where it leads.' },
    { name: 'description', type: 'text', description: 'Text that is shown with it.' },
    { name: 'date', type: 'date', description: 'Date that is shown with it.' },
  ],
  sample: SAMPLES['search-results'] ?? [],
  typicalPages: 3,
  recipe: ({ url, query, ...rest }) =>
    listRecipe({ ...rest, url: url.replaceAll(QUERY, encodeURIComponent(query)) }, [
      'title',
      'url',
      'description',
      'date',
    ]),
})
