import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** RSS and Atom. */
export const feed = defineTemplate({
  id: 'feed',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Feed',
  description:
    'Entries of RSS and Atom feeds: title, address, date, author, summary, text and attachments, of podcasts too.',
  categories: ['news', 'feeds'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of feeds.') }),
  example: { urls: ['https://gazette.example.com/feed.xml'] },
  columns: [
    { name: 'title', type: 'text', description: 'Title of the entry.' },
    { name: 'url', type: 'url', description: 'Where it leads.' },
    { name: 'id', type: 'text', description: "The entry's id in the feed." },
    {
      name: 'date',
      type: 'date',
      description: 'When it was published, or else when it was last changed.',
    },
    { name: 'author', type: 'text', description: 'Who wrote it.' },
    { name: 'categories', type: 'list', description: 'Categories.' },
    { name: 'summary', type: 'text', description: 'Summary, without markup.' },
    { name: 'content', type: 'markdown', description: 'The whole text, if the feed has it.' },
    {
      name: 'enclosure',
      type: 'url',
      description: 'Attached file, such as the recording of an episode.',
    },
    { name: 'feed', type: 'url', description: 'Address of the feed.' },
  ],
  sample: SAMPLES['feed'] ?? [],
  typicalPages: 1,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      items: 'item, entry',
      fields: {
        title: 'title',
        url: [
          { css: 'link[rel="alternate"]', attr: 'href', as: 'url' },
          { css: 'link[href]:not([rel])', attr: 'href', as: 'url' },
          { css: 'link:not([href])', as: 'url' },
          { css: 'guid:not([isPermaLink="false"])', as: 'url' },
        ],
        id: ['guid', 'id'],
        date: [
          { css: 'pubDate', as: 'date' },
          { css: 'published', as: 'date' },
          { css: 'updated', as: 'date' },
          { css: 'dc\\:date', as: 'date' },
        ],
        author: ['dc\\:creator', 'author > name', 'itunes\\:author', 'author'],
        categories: [
          { css: 'category[term]', attr: 'term', many: true },
          { css: 'category', many: true },
        ],
        summary: ['description', 'summary', 'itunes\\:summary'],
        content: [
          { css: 'content\\:encoded', as: 'markdown' },
          { css: 'content', as: 'markdown' },
        ],
        enclosure: [
          { css: 'enclosure', attr: 'url', as: 'url' },
          { css: 'link[rel="enclosure"]', attr: 'href', as: 'url' },
          { css: 'media\\:content', attr: 'url', as: 'url' },
        ],
        feed: { url: true },
      },
    },
  }),
})
