import * as v from 'valibot'
import { fieldsSchema } from './field-schema.ts'

const selector = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000))
const label = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'must be 1–64 letters, digits, - or _'))
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const patterns = v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(500))), v.maxLength(100))

/** Where a run begins. A URL may hold `{1..20}` or `{a,b,c}`, which stands for several URLs. */
const start = v.strictObject({
  urls: v.optional(v.pipe(v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))), v.minLength(1), v.maxLength(10_000))),
  /** URL of a sitemap or a sitemap index, plain or gzipped. */
  sitemap: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))),
})

/** Visits what a selector finds. `on` narrows the rule to pages of that label; without it the rule holds on every page. */
const followLinks = v.strictObject({ links: selector, as: v.optional(label), on: v.optional(label) })

/** Walks a pagination: the found page has the label of the page it was found on, and is no level deeper. */
const followNext = v.strictObject({ next: selector, maxPages: v.optional(whole(1, 100_000)), on: v.optional(label) })

const crawl = v.strictObject({
  /** `page`: the start URLs alone; `path`: below the start URL's folder; `host`; `domain`: with all subdomains; `any`. */
  scope: v.optional(v.picklist(['page', 'path', 'host', 'domain', 'any'])),
  /** URL globs (`*` within a segment, `**` across); a URL must match one of `include` (if given) and none of `exclude`. */
  include: v.optional(patterns),
  exclude: v.optional(patterns),
  maxDepth: v.optional(whole(0, 100)),
  maxPages: v.optional(whole(1, 1_000_000)),
  robots: v.optional(v.boolean()),
  /** Least time between two requests to one host, in ms. */
  delayMs: v.optional(whole(0, 60_000)),
  /** Requests at the same time. */
  concurrency: v.optional(whole(1, 256)),
})

const page = v.strictObject({
  render: v.optional(v.picklist(['http'])),
  headers: v.optional(v.pipe(v.record(v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~\w-]{1,100}$/, 'is no header name')), v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{0,2000}$/, 'must be printable ASCII'))), v.maxEntries(50))),
  timeoutMs: v.optional(whole(100, 120_000)),
})

const extract = v.strictObject({
  /** Label of the pages to extract from; absent: every page. */
  on: v.optional(label),
  /** One row for each match; absent: the page is one row. */
  items: v.optional(selector),
  fields: v.optional(fieldsSchema),
})

/** What a page can be turned into as a whole; each becomes a column of the page's row. */
export const FORMATS = ['markdown', 'text', 'html', 'links', 'metadata'] as const

/** A recipe as a caller writes it (design 4.5). */
export const recipeSchema = v.strictObject({
  start,
  follow: v.optional(v.pipe(v.array(v.union([followLinks, followNext])), v.maxLength(50))),
  crawl: v.optional(crawl),
  page: v.optional(page),
  extract: v.optional(extract),
  formats: v.optional(v.pipe(v.array(v.picklist(FORMATS)), v.maxLength(FORMATS.length))),
  output: v.optional(v.strictObject({ unique: v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.minLength(1), v.maxLength(20))) })),
  budget: v.optional(v.strictObject({ pages: v.optional(whole(1, 1_000_000)), credits: v.optional(whole(0, 1_000_000_000)), seconds: v.optional(whole(1, 604_800)) })),
})

/** A recipe as it is stored: exactly what the caller wrote. Defaults are applied when it is compiled, so that they stay visible as defaults. */
export type Recipe = v.InferOutput<typeof recipeSchema>
