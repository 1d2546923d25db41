import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Pages that a sitemap lists. */
export const sitemap = defineTemplate({
  id: 'sitemap',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Sitemap inventory',
  description:
    'Every address that a sitemap lists, with the date of its last change, priority and ' +
    'pictures; sitemap indexes are followed. The pages themselves are not fetched.',
  categories: ['seo', 'sites'],
  parameters: v.strictObject({
    url: urlOf('Address of a sitemap or a sitemap index (XML).'),
    maxPages: pagesOf(100, 'Maximum number of sitemaps to read.'),
  }),
  example: { url: 'https://gazette.example.com/sitemap.xml' },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'modified', type: 'date', description: 'When it was last changed.' },
    { name: 'changes', type: 'text', description: 'Stated frequency of changes.' },
    { name: 'priority', type: 'number', description: 'Priority from 0 to 1.' },
    { name: 'images', type: 'list', description: 'Addresses of its pictures.' },
    { name: 'sitemap', type: 'url', description: 'Sitemap that lists it.' },
  ],
  sample: SAMPLES['sitemap'] ?? [],
  typicalPages: 5,
  recipe: ({ url, maxPages }) => ({
    start: { urls: [url] },
    follow: [{ links: 'sitemap > loc' }],
    crawl: { maxPages },
    extract: {
      items: 'url',
      fields: {
        url: { css: '> loc', as: 'url' },
        modified: { css: 'lastmod', as: 'date' },
        changes: 'changefreq',
        priority: { css: 'priority', as: 'number' },
        images: { css: 'image\\:loc', as: 'url', many: true },
        sitemap: { url: true },
      },
    },
    output: { unique: ['url'] },
  }),
})
