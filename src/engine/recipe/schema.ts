import * as v from 'valibot'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { actionsSchema } from './action-schema.ts'
import { fieldsSchema, selector } from './field-schema.ts'
import { paramsSchema } from './params-schema.ts'

const say = v.description

const label = v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'must be 1–64 letters, digits, - or _'))
const patterns = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(500))),
  v.maxLength(100),
)

const onLabel = v.exactOptional(
  v.pipe(label, say('Label of the pages that this applies to. Default: every page.')),
)

const words = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(400))
const wholeSearch = v.pipe(
  v.strictObject({
    query: v.pipe(words, say('Search terms, as for any search engine.')),
    limit: v.exactOptional(
      v.pipe(
        wholeNumber(1, 100),
        say('Maximum number of results to visit; default 20. A search engine may return fewer.'),
      ),
    ),
  }),
  say('A search, with a limit of its results.'),
  documented({ component: 'StartSearchOptions' }),
)

// Checked by hand and not as a union, so that the error names the wrong part.
const search: v.GenericSchema<string | v.InferOutput<typeof wholeSearch>> = v.pipe(
  v.lazy((input) => (typeof input === 'string' ? words : wholeSearch)),
  documented({
    component: 'StartSearch',
    as: v.pipe(
      v.union([v.pipe(words, say('Search terms, as for any search engine.')), wholeSearch]),
      say(
        "A search whose results are visited. It uses the platform's search engine, or the " +
          'pages that the account has fetched if there is no engine.',
      ),
    ),
  }),
)

const start = v.strictObject({
  urls: v.exactOptional(
    v.pipe(
      v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))),
      v.minLength(1),
      v.maxLength(10_000),
      say('A URL may contain `{1..20}` or `{a,b,c}`, which expands to several URLs.'),
    ),
  ),
  sitemap: v.exactOptional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(2_048),
      say('URL of a sitemap or a sitemap index, plain or gzipped.'),
    ),
  ),
  feed: v.exactOptional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(2_048),
      say(
        'URL of a feed (RSS, Atom, JSON Feed) whose entries are visited. To read the feed itself, name it in `urls`.',
      ),
    ),
  ),
  search: v.exactOptional(search),
})

const followLinks = v.pipe(
  v.strictObject({
    links: v.pipe(
      selector,
      say(
        'Visits the links that this CSS selector or XPath matches. On JSON pages: the URLs ' +
          'that this JSONPath (starting with `$`) matches.',
      ),
    ),
    items: v.exactOptional(
      v.pipe(
        selector,
        say(
          'Parts of the page: a CSS selector, XPath or JSONPath. `links` and `carry` are read ' +
            'in each. Needs `carry`.',
        ),
      ),
    ),
    carry: v.exactOptional(
      v.pipe(
        fieldsSchema,
        say(
          'Values to carry along with each link. The source `carried` reads them on its page. ' +
            'Without `items` they are of the whole page.',
        ),
      ),
    ),
    as: v.exactOptional(v.pipe(label, say('Label of the pages that the links lead to.'))),
    on: onLabel,
  }),
  v.check((rule) => rule.items === undefined || rule.carry !== undefined, 'items needs carry'),
)

const followNext = v.strictObject({
  next: v.pipe(
    selector,
    say(
      'Link to the next page: a CSS selector or XPath, or a JSONPath of the URL on JSON ' +
        'pages. The next page keeps the label and the depth of its page. `auto` detects the ' +
        'link on the first page.',
    ),
  ),
  param: v.exactOptional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(100),
      say(
        'For APIs that return a cursor or a page number instead of a URL: the query parameter ' +
          'that is set to the value of `next`, which must be a JSONPath.',
      ),
    ),
  ),
  maxPages: v.exactOptional(
    v.pipe(wholeNumber(1, 100_000), say('Maximum number of pages of one pagination.')),
  ),
  on: onLabel,
})

const crawl = v.strictObject({
  scope: v.exactOptional(
    v.pipe(
      v.picklist(['page', 'path', 'host', 'domain', 'any']),
      say(
        "Which links are followed. `page`: none; `path`: those below the start URL's folder; " +
          '`host`: the same host; `domain`: with all subdomains; `any`: all.',
      ),
    ),
  ),
  include: v.exactOptional(
    v.pipe(
      patterns,
      say('URL globs (`*` within a segment, `**` across segments). A URL must match one of them.'),
    ),
  ),
  exclude: v.exactOptional(v.pipe(patterns, say('URL globs. A URL must match none of them.'))),
  maxDepth: v.exactOptional(
    v.pipe(
      wholeNumber(0, 100),
      say('Maximum number of links from a start page to a page. Start pages have depth 0.'),
    ),
  ),
  maxPages: v.exactOptional(
    v.pipe(wholeNumber(1, 1_000_000), say('Maximum number of pages to visit.')),
  ),
  robots: v.exactOptional(v.pipe(v.boolean(), say('Whether robots.txt is obeyed; default true.'))),
  delayMs: v.exactOptional(
    v.pipe(wholeNumber(0, 60_000), say('Minimum time between two requests to one host, in ms.')),
  ),
  concurrency: v.exactOptional(
    v.pipe(
      wholeNumber(1, 256),
      say(
        'Pages at the same time, for all workers together. Default: 8 for each worker that ' +
          'takes part.',
      ),
    ),
  ),
})

const page = v.strictObject({
  render: v.exactOptional(
    v.pipe(
      v.picklist(['http', 'browser', 'auto']),
      say(
        '`http` (default): pages as fetched. `browser`: pages after their scripts have run. ' +
          '`auto`: a browser only for pages that are empty without it. The last two need a ' +
          'platform with a browser.',
      ),
    ),
  ),
  actions: v.exactOptional(actionsSchema),
  viewport: v.exactOptional(
    v.pipe(
      v.strictObject({
        width: v.pipe(wholeNumber(200, 3_840), say('In pixels.')),
        height: v.pipe(wholeNumber(200, 4_320), say('In pixels.')),
      }),
      say('The size of the window, in pixels; default 1280 × 800.'),
    ),
  ),
  screenshot: v.exactOptional(
    v.pipe(
      v.picklist(['viewport', 'full']),
      say(
        'What the format `screenshot` shows: the window (default), or the whole page up to ' +
          '16,384 pixels.',
      ),
    ),
  ),
  headers: v.exactOptional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~\w-]{1,100}$/, 'is not a header name')),
        v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{0,2000}$/, 'must be printable ASCII')),
      ),
      v.maxEntries(50),
      say(
        'Request headers of pages, by name. Headers with secrets go to the origins of `headersTo`.',
      ),
    ),
  ),
  headersTo: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.maxLength(300),
          v.check(isOrigin, 'must be an origin such as https://api.example.com, without a path'),
        ),
      ),
      v.maxLength(50),
      say(
        'The origins that get `headers`. Default: the origins of the start URLs, the sitemap ' +
          'and the feed. Other origins get only headers without secrets, such as ' +
          '`Accept-Language` and `User-Agent`.',
      ),
    ),
  ),
  timeoutMs: v.exactOptional(
    v.pipe(wholeNumber(100, 120_000), say('Maximum time of one request for a page, in ms.')),
  ),
  maxAgeSeconds: v.exactOptional(
    v.pipe(
      wholeNumber(0, 2_592_000),
      say(
        'Reuses a page that an execution with `maxAge` fetched for the account within this ' +
          'time (same URL, headers and rendering). Default 0: every page is requested.',
      ),
    ),
  ),
  keep: v.exactOptional(
    v.pipe(
      v.boolean(),
      say(
        'Keeps the fetched pages with the execution, so that `POST ' +
          '/api/v1/executions/:id/extract` can run a changed recipe over them without fetching ' +
          'again. Default false.',
      ),
    ),
  ),
})

const extract = v.pipe(
  v.strictObject({
    on: onLabel,
    items: v.exactOptional(
      v.pipe(
        selector,
        say(
          'One row for each match; absent: one row a page. A CSS selector, an XPath (starting ' +
            'with `/`), or a JSONPath (starting with `$`) in a JSON page (CSV and JSON Lines: ' +
            '`$[*]`; PDF: `$.pages[*]`) or in the JSON-LD of an HTML page. `:state($..products[*])`: ' +
            'in the JSON that scripts left in an HTML page. `:auto`, `:auto(list)`, ' +
            '`:auto(table)` and `:auto(table as written)` detect what repeats on the first page; ' +
            'the last leaves headings and cells as the page writes them. `:model(every open ' +
            'position)`: what a language model finds for these words.',
        ),
      ),
    ),
    fields: v.exactOptional(fieldsSchema),
    failed: v.exactOptional(
      v.pipe(
        v.boolean(),
        say(
          'Pages that could not be fetched become rows too, with their `page`, `url` and `const` ' +
            'fields. Without `items`, pages without a match do so too.',
        ),
      ),
    ),
  }),
  say('What to extract from each page: its rows, and the columns of a row.'),
  documented({ component: 'ExtractRules' }),
)

// Checked by hand and not as a union, so that the error names the wrong part.
const extractOrAuto: v.GenericSchema<'auto' | v.InferOutput<typeof extract>> = v.pipe(
  v.lazy((input) =>
    typeof input === 'string' ? v.literal('auto', 'must be an object or "auto"') : extract,
  ),
  documented({
    component: 'Extract',
    as: v.pipe(
      v.union([extract, v.literal('auto')]),
      say('`auto` detects rows and columns on the first page of the run.'),
    ),
  }),
)

/** Representations of a whole page. Each becomes a column of the page's row. */
export const FORMATS = [
  'markdown',
  'text',
  'html',
  'links',
  'metadata',
  'article',
  'structured',
  'comments',
  'screenshot',
] as const

const formats = v.pipe(
  v.array(v.picklist(FORMATS)),
  v.maxLength(FORMATS.length),
  say(
    'Formats of the whole page; each is a column. `article`: title, byline, published, ' +
      'siteName, language, excerpt, image, text, markdown, wordCount. `structured`: JSON-LD, ' +
      'microdata, RDFa, microformats, OpenGraph and Twitter cards. `comments`: of readers, ' +
      'with `author`, `date` and `text`. `screenshot`: a PNG, as media.',
  ),
)

const output = v.strictObject({
  unique: v.exactOptional(
    v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1))),
      v.minLength(1),
      v.maxLength(20),
      say('Columns that identify a row. A row with the same values as an earlier one is dropped.'),
    ),
  ),
})

const entries = {
  params: v.exactOptional(paramsSchema),
  start: v.pipe(start, say('Where a run starts: URLs, a sitemap, a feed or a search.')),
  follow: v.exactOptional(
    v.pipe(
      v.array(v.union([followLinks, followNext])),
      v.maxLength(50),
      say('Which links of a page are visited next.'),
    ),
  ),
  crawl: v.exactOptional(v.pipe(crawl, say('Which pages are visited, how many, and how fast.'))),
  page: v.exactOptional(v.pipe(page, say('How each page is fetched and rendered.'))),
  extract: v.exactOptional(extractOrAuto),
  formats: v.exactOptional(formats),
  output: v.exactOptional(v.pipe(output, say('How rows are stored.'))),
  budget: v.exactOptional(
    v.pipe(
      v.strictObject({
        pages: v.exactOptional(
          v.pipe(wholeNumber(1, 1_000_000), say('Maximum number of pages to visit.')),
        ),
        credits: v.exactOptional(
          v.pipe(wholeNumber(0, 1_000_000_000), say('Maximum cost in credits.')),
        ),
        seconds: v.exactOptional(
          v.pipe(wholeNumber(1, 604_800), say('Maximum time from its start, in seconds.')),
        ),
      }),
      say('Limits of one run. A run ends when it reaches one.'),
    ),
  ),
}

/** A recipe as a caller writes it. */
export const recipeSchema = v.pipe(
  v.strictObject(entries),
  say('Which pages to visit, and what to extract from them.'),
  documented({ component: 'Recipe' }),
)

/** The parts of a recipe that can change after its pages were fetched. `null` removes a part. */
export const extractPartsSchema = v.pipe(
  v.strictObject({
    extract: v.exactOptional(v.nullable(extractOrAuto)),
    formats: v.exactOptional(v.nullable(formats)),
    output: v.exactOptional(v.nullable(output)),
  }),
  say(
    'Parts that replace those of the recipe: what to extract from each page. `null` removes a ' +
      'part. The sources of pages cannot be changed.',
  ),
  documented({ component: 'ExtractParts' }),
)

/**
 * A recipe as it is stored: exactly as the caller wrote it. Defaults are applied only when it is
 * compiled, so they stay recognisable as defaults.
 */
export type Recipe = v.InferOutput<typeof recipeSchema>

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    (text === url.origin || text === url.href) &&
    url.href === `${url.origin}/`
  )
}
