import type { Fields } from '../../recipe/field-schema.ts'

/** Fields of the entries of any feed: RSS 2.0 and 1.0, Atom. Ready for `items: "item, entry"`. */
export const FEED_FIELDS: Fields = {
  title: 'title',
  url: [
    { css: 'link[rel=alternate]', as: 'url' },
    { css: 'link:not([rel])', as: 'url' },
    { css: 'guid:not([isPermaLink=false])', as: 'url' },
    { css: 'link', as: 'url' },
  ],
  date: [
    { css: 'pubDate', as: 'date' },
    { css: 'published', as: 'date' },
    { css: 'updated', as: 'date' },
    { css: 'dc\\:date', as: 'date' },
  ],
  author: ['dc\\:creator', 'author > name', 'author'],
  summary: ['description', 'summary', 'content\\:encoded', 'content'],
  categories: [
    { css: 'category[term]', attr: 'term', many: true },
    { css: 'category, dc\\:subject', many: true },
  ],
}
