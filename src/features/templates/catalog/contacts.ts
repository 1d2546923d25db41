import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

const SOCIAL = [
  'facebook.com',
  'instagram.com',
  'linkedin.com',
  'x.com',
  'twitter.com',
  'youtube.com',
  'tiktok.com',
  'github.com',
  'mastodon.',
  'bsky.app',
  'pinterest.',
  'wa.me',
  't.me',
  'xing.com',
]
/** Matches an e-mail address in a link or a text. */
const EMAIL = '[\\w.+-]+@[\\p{L}\\p{N}_-]+(?:\\.[\\p{L}\\p{N}_-]+)+'
/**
 * Matches a phone number in a text. It needs a word such as `phone` before it, which distinguishes
 * it from other numbers.
 */
const PHONE =
  '(?i)(?:tel|phone|telefon|telefono|fon|mobile|mobil)[a-z]*[.:]*\\s*(\\+?\\d[\\d ()/.-]{5,20}\\d)'
/** Words of links to pages with contact details, in several languages. */
const WORDS = [
  'contact',
  'kontakt',
  'contacto',
  'contatti',
  'contato',
  'impressum',
  'imprint',
  'about',
  'ueber-uns',
  'legal-notice',
  'mentions-legales',
  'aviso-legal',
]

/** Contact details of a site. */
export const contacts = defineTemplate({
  id: 'contacts',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Contact details',
  description:
    'E-mail addresses, telephone numbers, postal address and social profiles of ' +
    'organisations, from their start pages and the contact, about and imprint pages that ' +
    'these link to.',
  categories: ['leads'],
  parameters: v.strictObject({
    urls: urlsOf('Addresses of sites.'),
    follow: v.optional(
      v.pipe(
        v.boolean(),
        v.description('Whether links to contact, about and imprint pages are followed.'),
      ),
      true,
    ),
    maxPages: pagesOf(200, 'Maximum number of pages to fetch.'),
  }),
  example: { urls: ['https://boatyard.example.com/'] },
  columns: [
    { name: 'page', type: 'url', description: 'Page that has the details.' },
    { name: 'name', type: 'text', description: 'Name of the organisation.' },
    { name: 'emails', type: 'list', description: 'E-mail addresses.' },
    { name: 'phones', type: 'list', description: 'Telephone numbers.' },
    { name: 'address', type: 'text', description: 'Postal address.' },
    { name: 'social', type: 'list', description: 'Addresses of profiles.' },
  ],
  sample: SAMPLES['contacts'] ?? [],
  typicalPages: 3,
  recipe: ({ urls, follow, maxPages }) => ({
    start: { urls },
    ...(follow && {
      follow: [
        {
          links: WORDS.map((word) => `a[href*="${word}" i]`).join(', '),
          as: 'contact',
          on: 'start',
        },
      ],
    }),
    crawl: { maxPages, scope: 'domain' },
    extract: {
      fields: {
        page: { url: true },
        name: [
          { jsonld: "$..[?(@['@type']=='Organization')].name" },
          { jsonld: "$..[?(@['@type']=='LocalBusiness')].name" },
          '[itemtype*="schema.org/"] [itemprop~="name"]',
          { meta: 'og:site_name' },
          '.vcard .fn, .vcard .org',
        ],
        emails: [
          { css: 'a[href^="mailto:" i]', attr: 'href', regex: EMAIL, many: true },
          { jsonld: '$..email', regex: EMAIL, many: true },
          { css: '[itemprop~="email"]', regex: EMAIL, many: true },
          { css: 'body', regex: EMAIL, many: true },
        ],
        phones: [
          {
            css: 'a[href^="tel:" i]',
            attr: 'href',
            regex: '(?i)^tel:(?:%20|\\s)*(.+)',
            many: true,
          },
          { jsonld: '$..telephone', many: true },
          { css: '[itemprop~="telephone"]', many: true },
          { css: 'body', regex: PHONE, many: true },
        ],
        address: ['[itemprop~="address"]', 'address', '.adr', '[class*="address" i]'],
        social: {
          css: SOCIAL.map((site) => `a[href*="//${site}"], a[href*="//www.${site}"]`).join(', '),
          attr: 'href',
          as: 'url',
          many: true,
        },
      },
    },
  }),
})
