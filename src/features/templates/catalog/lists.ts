import type { Field, Fields } from '../../../engine/recipe/recipe-input.ts'
import type { Recipe } from '../../../engine/recipe/schema.ts'

/** Hints that the caller of a list template may give about the site. */
export interface ListParameters {
  readonly url: string
  readonly items?: string | undefined
  readonly next?: string | undefined
  readonly maxPages: number
}

/** Fields of an item, for a caller that names the items: nothing is detected then. */
const GENERAL: Readonly<Record<string, Field>> = {
  title: [
    '[itemprop~="name"], [itemprop~="headline"]',
    'h2, h3, h4, h5',
    '[class*="title" i], [class*="name" i]',
    'a',
  ],
  url: [
    { css: 'a[itemprop~="url"]', as: 'url' },
    { css: ':is(h2, h3, h4, h5) a[href]', as: 'url' },
    { css: 'a[href]:has(:is(h2, h3, h4, h5))', as: 'url' },
    { css: 'a[href]', as: 'url' },
    { css: ':scope[href]', as: 'url' },
  ],
  image: [
    { css: 'img[data-src]', attr: 'data-src', as: 'url' },
    { css: 'img[src]', attr: 'src', as: 'url' },
  ],
  price: [
    { css: '[itemprop~="price"]', as: 'number' },
    { css: '[class*="price" i]', as: 'number' },
  ],
  date: [
    { css: 'time', as: 'date' },
    { css: '[class*="date" i]', as: 'date' },
  ],
  rating: [
    { css: '[itemprop~="ratingValue"]', as: 'number' },
    { css: '[class*="rating" i]', as: 'number' },
  ],
  author: ['[itemprop~="author"], [rel~="author"], .byline, .author'],
  description: ['[itemprop~="description"]', 'p'],
}

/** Fields from machine-readable markup. They take precedence over detected fields. */
const MARKED: Readonly<Record<string, Field>> = {
  title: '[itemprop~="name"], [itemprop~="headline"]',
  url: { css: 'a[itemprop~="url"]', as: 'url' },
  image: { css: 'img[itemprop~="image"]', attr: 'src', as: 'url' },
  price: { css: '[itemprop~="price"]', as: 'number' },
  date: { css: 'time[datetime]', as: 'date' },
  rating: { css: '[itemprop~="ratingValue"]', as: 'number' },
  author: '[itemprop~="author"], [rel~="author"]',
  description: '[itemprop~="description"]',
}

/**
 * A recipe for a list of several pages. Details of the site that the caller does not give are
 * detected on its first page.
 */
export function listRecipe(
  { url, items, next, maxPages }: ListParameters,
  columns: readonly string[],
): Recipe {
  const rules = items === undefined ? MARKED : GENERAL
  const fields: Fields = Object.fromEntries(
    columns.map((column) => [column, rules[column] ?? column]),
  )
  return {
    start: { urls: [url] },
    ...(maxPages > 1 && { follow: [{ next: next ?? ':auto', maxPages }] }),
    crawl: { maxPages },
    extract: { items: items ?? ':auto(list)', fields },
    output: { unique: ['url', 'title'] },
  }
}
