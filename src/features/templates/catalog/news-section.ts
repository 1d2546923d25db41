import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { listRecipe } from './lists.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Front pages and sections of publications. */
export const newsSection = defineTemplate({
  id: 'news-section',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'News section',
  description:
    'Headlines of a front page, a section or a blog: title, address, teaser, author and ' +
    'date, page after page. The entries are detected.',
  categories: ['news', 'lists'],
  parameters: v.strictObject({
    url: urlOf('Address of the section.'),
    items: selectorOf('CSS selector of one entry; absent: entries are detected.'),
    next: selectorOf('CSS selector of the link to the next page; absent: it is detected.'),
    maxPages: pagesOf(5, 'Maximum number of pages of the section.'),
  }),
  example: { url: 'https://gazette.example.com/city', maxPages: 3 },
  columns: [
    { name: 'title', type: 'text', description: 'Headline.' },
    { name: 'url', type: 'url', description: 'Address of the article.' },
    { name: 'date', type: 'date', description: 'When it was published.' },
    { name: 'author', type: 'text', description: 'Who wrote it.' },
    { name: 'description', type: 'text', description: 'Teaser.' },
    { name: 'image', type: 'url', description: 'Picture beside it.' },
  ],
  sample: SAMPLES['news-section'] ?? [],
  typicalPages: 5,
  recipe: (parameters) =>
    listRecipe(parameters, ['title', 'url', 'date', 'author', 'description', 'image']),
})
