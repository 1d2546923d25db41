import { EXECUTION_EXAMPLES } from '../executions/examples.ts'
import { PREVIEW_EXAMPLES } from '../previews/examples.ts'
import { TASK_EXAMPLES } from '../tasks/examples.ts'

const summary = {
  id: 'article',
  version: 1,
  updatedAt: '2030-01-31',
  name: 'Article',
  description: 'Title, author, dates and text of articles.',
  categories: ['content', 'news'],
  parameters: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['urls'],
    additionalProperties: false,
    properties: {
      urls: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Addresses of articles.',
      },
    },
  },
  columns: [
    { name: 'title', type: 'text', description: 'Headline.' },
    { name: 'published', type: 'date', description: 'When it was published.' },
  ],
  price: { creditsPerPage: 1, typicalPages: 20, typicalCredits: 20 },
}
const filled = { urls: ['https://news.example.com/bridge'] }
const recipe = {
  start: filled,
  extract: { fields: { title: 'h1', published: { css: 'time', as: 'date' } } },
}
const params = { id: summary.id }

/** Examples of templates, for the documentation. */
export const TEMPLATE_EXAMPLES = {
  list: {
    query: { q: 'news articles', category: 'content', limit: '20' },
    data: { items: [summary], nextCursor: null },
  },
  categories: {
    data: {
      items: [
        { name: 'content', templates: 4 },
        { name: 'news', templates: 3 },
      ],
      nextCursor: null,
    },
  },
  get: {
    params,
    data: {
      ...summary,
      example: filled,
      recipe,
      sample: [{ title: 'The bridge opens', published: '2030-01-30T08:00:00.000Z' }],
    },
  },
  run: {
    params,
    body: { params: filled, budget: { pages: 20 } },
    data: { ...EXECUTION_EXAMPLES.start.data, taskId: null, templateId: summary.id },
  },
  preview: { params, body: { params: filled }, data: PREVIEW_EXAMPLES.recipe.data },
  save: {
    params,
    body: { params: filled, name: 'Bridge', labels: ['news'] },
    data: { ...TASK_EXAMPLES.create.data, name: 'Bridge', labels: ['news'], recipe },
  },
}
