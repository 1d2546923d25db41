import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { marked, stated } from './structured.ts'

const TYPES = ['NewsArticle', 'Article', 'BlogPosting', 'Report']

/** Articles: news, blog posts, reports. */
export const article = defineTemplate({
  id: 'article',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Article',
  description:
    'Title, author, dates and the main text as Markdown, without navigation and ads, of ' +
    'news articles, blog posts and other pages of prose.',
  categories: ['content', 'news'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of articles.') }),
  example: { urls: ['https://gazette.example.com/2030/harbour-bridge'] },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'title', type: 'text', description: 'Headline.' },
    { name: 'author', type: 'text', description: 'Who wrote it.' },
    { name: 'published', type: 'date', description: 'When it was published.' },
    { name: 'modified', type: 'date', description: 'When it was last changed.' },
    { name: 'section', type: 'text', description: 'Section of the publication.' },
    { name: 'summary', type: 'text', description: 'Topics that the page states.' },
    { name: 'image', type: 'url', description: 'Picture that goes with it.' },
    { name: 'markdown', type: 'markdown', description: 'The text, with links and headings.' },
  ],
  sample: SAMPLES['article'] ?? [],
  typicalPages: 20,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      fields: {
        url: { url: true },
        title: [
          ...stated(TYPES, 'headline'),
          marked('headline'),
          { meta: 'og:title' },
          'article h1',
          'h1',
          'title',
        ],
        author: [
          ...stated(TYPES, 'author.name'),
          ...stated(TYPES, 'author[*].name'),
          { meta: 'author' },
          '[itemprop~="author"] [itemprop~="name"]',
          '[rel~="author"]',
          '.byline a, .author a, .author-name',
          '[itemprop~="author"], .byline-name, .author',
        ],
        published: [
          ...stated(TYPES, 'datePublished', { as: 'date' }),
          { meta: 'article:published_time', as: 'date' },
          marked('datePublished', { as: 'date' }),
          { css: 'article time[datetime], time[pubdate]', as: 'date' },
          { css: 'time', as: 'date' },
        ],
        modified: [
          ...stated(TYPES, 'dateModified', { as: 'date' }),
          { meta: 'article:modified_time', as: 'date' },
          marked('dateModified', { as: 'date' }),
        ],
        section: [
          ...stated(TYPES, 'articleSection'),
          { meta: 'article:section' },
          marked('articleSection'),
        ],
        summary: [
          { meta: 'description' },
          { meta: 'og:description' },
          ...stated(TYPES, 'description'),
        ],
        image: [
          { meta: 'og:image', as: 'url' },
          ...stated(TYPES, 'image.url', { as: 'url' }),
          ...stated(TYPES, 'image', { as: 'url' }),
          { css: 'article img', attr: 'src', as: 'url' },
        ],
      },
    },
    formats: ['markdown'],
  }),
})
