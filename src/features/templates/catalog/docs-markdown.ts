import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Manuals and reference sites as text for models. */
export const docsMarkdown = defineTemplate({
  id: 'docs-markdown',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Documentation to Markdown',
  description:
    'Every page of a documentation site below an address as Markdown, without navigation ' +
    'and side columns, ready to be indexed or given to a model.',
  categories: ['content', 'research', 'sites'],
  parameters: v.strictObject({
    url: urlOf('Address to begin at; pages in the same folder and below are taken.'),
    exclude: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))),
        v.maxLength(50),
        v.description('Address patterns to leave out, such as **/changelog/**.'),
      ),
      [],
    ),
    maxPages: pagesOf(500, 'Maximum number of pages to fetch.'),
  }),
  example: { url: 'https://tiller.example.com/docs/', exclude: ['/docs/archive/**'] },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'title', type: 'text', description: 'Heading of the page.' },
    { name: 'breadcrumbs', type: 'list', description: 'Where the page belongs.' },
    { name: 'modified', type: 'date', description: 'When it was last changed.' },
    { name: 'markdown', type: 'markdown', description: 'The text, with code and tables.' },
  ],
  sample: SAMPLES['docs-markdown'] ?? [],
  typicalPages: 200,
  recipe: ({ url, exclude, maxPages }) => ({
    start: { urls: [url] },
    crawl: { scope: 'path', maxDepth: 20, maxPages, ...(exclude.length > 0 && { exclude }) },
    extract: {
      fields: {
        url: { url: true },
        title: ['main h1, article h1, [role="main"] h1', 'h1', 'title'],
        breadcrumbs: {
          css: '[class*="breadcrumb" i] a, [aria-label*="breadcrumb" i] a',
          many: true,
        },
        modified: [
          { meta: 'article:modified_time', as: 'date' },
          { css: '[class*="updated" i] time, [class*="modified" i] time', as: 'date' },
        ],
      },
    },
    formats: ['markdown'],
  }),
})
