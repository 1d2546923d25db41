import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Metadata of pages. */
export const pageMetadata = defineTemplate({
  id: 'page-metadata',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Page metadata',
  description:
    'Facts that pages state for search engines and social networks: title, ' +
    'description, canonical address, robots, languages, Open Graph and Twitter cards, ' +
    'kinds of JSON-LD.',
  categories: ['seo', 'content'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of pages.') }),
  example: {
    urls: ['https://gazette.example.com/2030/harbour-bridge', 'https://harbourhall.example.com/'],
  },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'title', type: 'text', description: 'Title of the document.' },
    { name: 'description', type: 'text', description: 'Description for search engines.' },
    { name: 'canonical', type: 'url', description: 'Canonical address that the page states.' },
    { name: 'robots', type: 'text', description: 'What robots are told.' },
    { name: 'language', type: 'text', description: 'Language of the document.' },
    {
      name: 'alternates',
      type: 'list',
      description: 'The page in other languages: `{ language, url }`.',
    },
    { name: 'headings', type: 'list', description: 'First-level headings.' },
    { name: 'ogTitle', type: 'text', description: 'Open Graph title.' },
    { name: 'ogDescription', type: 'text', description: 'Open Graph description.' },
    { name: 'ogType', type: 'text', description: 'Open Graph type.' },
    { name: 'ogImage', type: 'url', description: 'Open Graph picture.' },
    { name: 'siteName', type: 'text', description: 'Name of the site.' },
    { name: 'twitterCard', type: 'text', description: 'Kind of the Twitter card.' },
    { name: 'icon', type: 'url', description: "The site's icon." },
    { name: 'feeds', type: 'list', description: 'Addresses of feeds.' },
    { name: 'structured', type: 'list', description: 'Types of the JSON-LD.' },
  ],
  sample: SAMPLES['page-metadata'] ?? [],
  typicalPages: 50,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      fields: {
        url: { url: true },
        title: 'head > title',
        description: { meta: 'description' },
        canonical: { css: 'link[rel~="canonical" i]', attr: 'href', as: 'url' },
        robots: { meta: 'robots' },
        language: [{ css: 'html[lang]', attr: 'lang' }, { meta: 'og:locale' }],
        alternates: {
          css: 'link[rel~="alternate" i][hreflang]',
          many: true,
          fields: {
            language: { css: ':scope', attr: 'hreflang' },
            url: { css: ':scope', attr: 'href', as: 'url' },
          },
        },
        headings: { css: 'h1', many: true },
        ogTitle: { meta: 'og:title' },
        ogDescription: { meta: 'og:description' },
        ogType: { meta: 'og:type' },
        ogImage: { meta: 'og:image', as: 'url' },
        siteName: [{ meta: 'og:site_name' }, { meta: 'application-name' }],
        twitterCard: { meta: 'twitter:card' },
        icon: { css: 'link[rel~="icon" i]', attr: 'href', as: 'url' },
        feeds: {
          css: 'link[type="application/rss+xml" i], link[type="application/atom+xml" i]',
          attr: 'href',
          as: 'url',
          many: true,
        },
        structured: { jsonld: "$..['@type']", many: true },
      },
    },
  }),
})
