import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Links that lead nowhere. */
export const linkCheck = defineTemplate({
  id: 'link-check',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Link check',
  description:
    'Follows the links of a site. Each row says where a link was found and the result of ' +
    'fetching it: HTTP status, redirect, or the reason of a failure. Broken links are the rows ' +
    'whose outcome is not `fetched`.',
  categories: ['seo', 'sites'],
  parameters: v.strictObject({
    url: urlOf('Where to begin.'),
    external: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          'Whether links to other sites are checked too; they are not followed any further.',
        ),
      ),
      true,
    ),
    maxPages: pagesOf(200, 'Maximum number of links to check.'),
  }),
  example: { url: 'https://harbourhall.example.com/', maxPages: 100 },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the link.' },
    { name: 'outcome', type: 'text', description: '`fetched`, `failed` or `blocked`.' },
    { name: 'status', type: 'integer', description: 'HTTP status; empty where no answer came.' },
    { name: 'error', type: 'text', description: 'Why it could not be fetched.' },
    { name: 'foundOn', type: 'url', description: 'First page that has the link.' },
    { name: 'leadsTo', type: 'url', description: 'Address after redirects.' },
    { name: 'title', type: 'text', description: 'Title of the page.' },
  ],
  sample: SAMPLES['link-check'] ?? [],
  typicalPages: 200,
  recipe({ url, external, maxPages }) {
    const host = (URL.parse(url)?.host ?? '').replace(/[^\w.:-]/g, '')
    const inside = `a[href]:not([href*="//"]), a[href*="//${host}/" i], a[href$="//${host}" i]`
    const rules = ['start', 'page'].map((on) => ({ links: inside, as: 'page', on }))
    const outside = ['start', 'page'].map((on) => ({ links: 'a[href*="//"]', as: 'external', on }))
    return {
      start: { urls: [url] },
      follow: external ? [...rules, ...outside] : rules,
      crawl: { maxPages, maxDepth: 50, ...(!external && { scope: 'host' }) },
      extract: {
        failed: true,
        fields: {
          url: { page: 'url' },
          outcome: { page: 'outcome' },
          status: { page: 'status' },
          error: { page: 'error' },
          foundOn: { page: 'foundOn' },
          leadsTo: { page: 'finalUrl' },
          title: 'title',
        },
      },
    }
  },
})
