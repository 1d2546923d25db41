import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { members, objectsOf, outermost } from './structured.ts'

const REVIEW = outermost([
  '[itemprop~="review"]',
  '[itemprop~="reviews"]',
  '[itemtype$="/Review"]',
  '[data-review-id]',
  '.review',
  '.review-item',
  '.customer-review',
  '.testimonial',
])

/** Reviews by customers and guests. */
export const reviews = defineTemplate({
  id: 'reviews',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Reviews',
  description:
    'Reviews of products, places and services: author, date, stars and text, ' +
    'page after page; from the markup of the page or from its JSON-LD.',
  categories: ['commerce', 'community'],
  parameters: v.strictObject({
    url: urlOf('Address of the page with reviews.'),
    source: v.optional(
      v.pipe(
        v.picklist(['page', 'json-ld']),
        v.description(
          'Where reviews are read: in the visible page, or in its JSON-LD, which often has fewer.',
        ),
      ),
      'page',
    ),
    items: selectorOf(
      'CSS selector of one review; absent: common markup, such as microdata and the class review.',
    ),
    next: selectorOf('CSS selector of the link to the next page; absent: it is detected.'),
    maxPages: pagesOf(10, 'Maximum number of pages of reviews.'),
  }),
  example: { url: 'https://inns.example.com/gull/reviews', maxPages: 2 },
  columns: [
    { name: 'author', type: 'text', description: 'Who wrote it.' },
    { name: 'rating', type: 'number', description: 'Stars or points that were given.' },
    { name: 'date', type: 'date', description: 'When it was written.' },
    { name: 'title', type: 'text', description: 'Heading.' },
    { name: 'text', type: 'text', description: 'The review.' },
  ],
  sample: SAMPLES['reviews'] ?? [],
  typicalPages: 10,
  recipe: ({ url, source, items, next, maxPages }) => ({
    start: { urls: [url] },
    ...(maxPages > 1 && { follow: [{ next: next ?? ':auto', maxPages }] }),
    crawl: { maxPages },
    extract:
      source === 'json-ld'
        ? {
            items: objectsOf('Review'),
            fields: {
              author: members(['author.name', 'author[*].name', 'author'], { as: 'text' }),
              rating: members(['reviewRating.ratingValue'], { as: 'number' }),
              date: members(['datePublished'], { as: 'date' }),
              title: members(['name', 'headline']),
              text: members(['reviewBody', 'description']),
            },
          }
        : {
            items: items ?? REVIEW,
            fields: {
              author: [
                '[itemprop~="author"] [itemprop~="name"]',
                '[itemprop~="author"]',
                '[rel~="author"], [class*="author" i], [class*="reviewer" i], [class*="user" i]',
              ],
              rating: [
                { css: '[itemprop~="ratingValue"]', as: 'number' },
                { css: '[data-rating]', attr: 'data-rating', as: 'number' },
                {
                  css: '[class*="rating" i][title], [class*="star" i][title]',
                  attr: 'title',
                  as: 'number',
                },
                {
                  css: '[class*="rating" i][aria-label], [class*="star" i][aria-label], [role="img"][aria-label]',
                  attr: 'aria-label',
                  as: 'number',
                },
                { css: '[class*="rating" i], [class*="score" i]', as: 'number' },
              ],
              date: [
                { css: '[itemprop~="datePublished"]', as: 'date' },
                { css: 'time', as: 'date' },
                { css: '[class*="date" i]', as: 'date' },
              ],
              title: [
                '[itemprop~="name"]:not([itemprop~="author"] *)',
                'h2, h3, h4, h5',
                '[class*="title" i], [class*="headline" i]',
              ],
              text: [
                '[itemprop~="reviewBody"]',
                '[itemprop~="description"]',
                '[class*="review-text" i], [class*="body" i], [class*="content" i], [class*="comment" i]',
                'blockquote',
                'p',
              ],
            },
          },
  }),
})
