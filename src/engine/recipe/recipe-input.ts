// Made from the schema of recipes: do not edit. After a change of it: npm run client
import type { Json } from '../../kernel/json.ts'

/** Which pages to visit, and what to extract from them. */
export type RecipeInput = {
  /**
   * Parameters, by name. A start gives their values in `params`. A value replaces `{{name}}` in
   * URLs (percent-encoded), search terms, `include`, `exclude`, values of headers and actions, and
   * `const`, `model`, `prefix`, `suffix` and `default` of fields.
   */
  readonly params?: RecipeParams
  /** Where a run starts: URLs, a sitemap, a feed or a search. */
  readonly start: {
    /** A URL may contain `{1..20}` or `{a,b,c}`, which expands to several URLs. */
    readonly urls?: readonly string[]
    /** URL of a sitemap or a sitemap index, plain or gzipped. */
    readonly sitemap?: string
    /**
     * URL of a feed (RSS, Atom, JSON Feed) whose entries are visited. To read the feed itself, name
     * it in `urls`.
     */
    readonly feed?: string
    /**
     * A search whose results are visited. It uses the platform's search engine, or the pages that
     * the account has fetched if there is no engine.
     */
    readonly search?: SearchInput
  }
  /** Which links of a page are visited next. */
  readonly follow?: readonly (
    | {
        /**
         * Visits the links that this CSS selector or XPath matches. On JSON pages: the URLs that
         * this JSONPath (starting with `$`) matches.
         */
        readonly links: string
        /**
         * Parts of the page: a CSS selector, XPath or JSONPath. `links` and `carry` are read in
         * each. Needs `carry`.
         */
        readonly items?: string
        /**
         * Values to carry along with each link. The source `carried` reads them on its page.
         * Without `items` they are of the whole page.
         */
        readonly carry?: { readonly [name: string]: Field }
        /** Label of the pages that the links lead to. */
        readonly as?: string
        /** Label of the pages that this applies to. Default: every page. */
        readonly on?: string
        readonly next?: never
        readonly param?: never
        readonly maxPages?: never
      }
    | {
        /**
         * Link to the next page: a CSS selector or XPath, or a JSONPath of the URL on JSON pages.
         * The next page keeps the label and the depth of its page. `auto` detects the link on the
         * first page.
         */
        readonly next: string
        /**
         * For APIs that return a cursor or a page number instead of a URL: the query parameter that
         * is set to the value of `next`, which must be a JSONPath.
         */
        readonly param?: string
        /** Maximum number of pages of one pagination. */
        readonly maxPages?: number
        /** Label of the pages that this applies to. Default: every page. */
        readonly on?: string
        readonly links?: never
        readonly items?: never
        readonly carry?: never
        readonly as?: never
      }
  )[]
  /** Which pages are visited, how many, and how fast. */
  readonly crawl?: {
    /**
     * Which links are followed. `page`: none; `path`: those below the start URL's folder; `host`:
     * the same host; `domain`: with all subdomains; `any`: all.
     */
    readonly scope?: 'page' | 'path' | 'host' | 'domain' | 'any'
    /** URL globs (`*` within a segment, `**` across segments). A URL must match one of them. */
    readonly include?: readonly string[]
    /** URL globs. A URL must match none of them. */
    readonly exclude?: readonly string[]
    /** Maximum number of links from a start page to a page. Start pages have depth 0. */
    readonly maxDepth?: number
    /** Maximum number of pages to visit. */
    readonly maxPages?: number
    /** Whether robots.txt is obeyed; default true. */
    readonly robots?: boolean
    /** Minimum time between two requests to one host, in ms. */
    readonly delayMs?: number
    /** Pages at the same time, for all workers together. Default: 8 for each worker that takes part. */
    readonly concurrency?: number
  }
  /** How each page is fetched and rendered. */
  readonly page?: {
    /**
     * `http` (default): pages as fetched. `browser`: pages after their scripts have run. `auto`: a
     * browser only for pages that are empty without it. The last two need a platform with a
     * browser.
     */
    readonly render?: 'http' | 'browser' | 'auto'
    /**
     * Actions on the page before it is read, in order. Needs `render: "browser"`. After each action
     * the platform waits until the page is quiet.
     */
    readonly actions?: readonly PageAction[]
    /** The size of the window, in pixels; default 1280 × 800. */
    readonly viewport?: {
      /** In pixels. */
      readonly width: number
      /** In pixels. */
      readonly height: number
    }
    /**
     * What the format `screenshot` shows: the window (default), or the whole page up to 16,384
     * pixels.
     */
    readonly screenshot?: 'viewport' | 'full'
    /** Request headers of pages, by name. Headers with secrets go to the origins of `headersTo`. */
    readonly headers?: { readonly [name: string]: string }
    /**
     * The origins that get `headers`. Default: the origins of the start URLs, the sitemap and the
     * feed. Other origins get only headers without secrets, such as `Accept-Language` and
     * `User-Agent`.
     */
    readonly headersTo?: readonly string[]
    /** Maximum time of one request for a page, in ms. */
    readonly timeoutMs?: number
    /**
     * Reuses a page that an execution with `maxAge` fetched for the account within this time (same
     * URL, headers and rendering). Default 0: every page is requested.
     */
    readonly maxAgeSeconds?: number
    /**
     * Keeps the fetched pages with the execution, so that `POST /api/v1/executions/:id/extract` can
     * run a changed recipe over them without fetching again. Default false.
     */
    readonly keep?: boolean
  }
  /** `auto` detects rows and columns on the first page of the run. */
  readonly extract?: Extraction
  /**
   * Formats of the whole page; each is a column. `article`: title, byline, published, siteName,
   * language, excerpt, image, text, markdown, wordCount. `structured`: JSON-LD, microdata, RDFa,
   * microformats, OpenGraph and Twitter cards. `comments`: of readers, with `author`, `date` and
   * `text`. `screenshot`: a PNG, as media.
   */
  readonly formats?: readonly (
    | 'markdown'
    | 'text'
    | 'html'
    | 'links'
    | 'metadata'
    | 'article'
    | 'structured'
    | 'comments'
    | 'screenshot'
  )[]
  /** How rows are stored. */
  readonly output?: {
    /** Columns that identify a row. A row with the same values as an earlier one is dropped. */
    readonly unique?: readonly string[]
  }
  /** Limits of one run. A run ends when it reaches one. */
  readonly budget?: {
    /** Maximum number of pages to visit. */
    readonly pages?: number
    /** Maximum cost in credits. */
    readonly credits?: number
    /** Maximum time from its start, in seconds. */
    readonly seconds?: number
  }
}

/**
 * Parameters, by name. A start gives their values in `params`. A value replaces `{{name}}` in URLs
 * (percent-encoded), search terms, `include`, `exclude`, values of headers and actions, and
 * `const`, `model`, `prefix`, `suffix` and `default` of fields.
 */
export type RecipeParams = { readonly [name: string]: RecipeParam }

/** A parameter of a recipe. */
export type RecipeParam = {
  /** Type of the value; default `text`. `url`: a value may be a whole URL. */
  readonly type?: 'text' | 'number' | 'integer' | 'boolean' | 'url'
  /** The value if a start gives none. */
  readonly default?: string | number | boolean
  /**
   * Whether a start must give a value. Default: true without `default`. `false`: the place stays
   * empty.
   */
  readonly required?: boolean
  /** For people and agents. */
  readonly description?: string
}

/**
 * A search whose results are visited. It uses the platform's search engine, or the pages that the
 * account has fetched if there is no engine.
 */
export type SearchInput = string | StartSearchOptions

/** A search, with a limit of its results. */
export type StartSearchOptions = {
  /** Search terms, as for any search engine. */
  readonly query: string
  /** Maximum number of results to visit; default 20. A search engine may return fewer. */
  readonly limit?: number
}

/**
 * A CSS selector, a JSONPath, an XPath, a source, or a list of these tried in order until one gives
 * a value.
 */
export type Field = string | FieldSource | readonly (string | FieldSource)[]

/**
 * One way to find a value. It has exactly one of `css`, `xpath`, `cell`, `json`, `jsonld`, `state`,
 * `meta`, `microdata`, `product`, `const`, `url`, `page`, `carried` and `model`, or `regex` alone.
 */
export type FieldSource = {
  /** CSS selector, below the row's item or the page. */
  readonly css?: string
  /** The attribute instead of the text, as written unless `as` is `url`. */
  readonly attr?: string
  /** Column name to field, in column order. */
  readonly fields?: Fields
  /**
   * XPath 1.0: `.//a` below the row's item, `//a` from the page's root, or an expression that has a
   * value, such as `count(//li)`.
   */
  readonly xpath?: string
  /**
   * Cell of the row's item, which is a row of a table: by the heading of its column, or counted
   * from 1. A cell that spans rows or columns is in each of them. The text has no hidden parts and
   * no marks of footnotes; with `as: "url"` it is the first link.
   */
  readonly cell?: string | number
  /**
   * JSONPath such as `$.name` over a JSON, CSV, JSON Lines or PDF document, or over the row's item
   * if `items` is a JSONPath. With `css` or `xpath`: over the JSON in that element.
   */
  readonly json?: string
  /** JSONPath over the page's JSON-LD, such as `$..sku`. */
  readonly jsonld?: string
  /**
   * JSONPath over the JSON that scripts left in the page: blocks of `application/json` such as
   * `__NEXT_DATA__`, and assignments such as `window.__NUXT__ = {…}`. Example: `$..price`.
   */
  readonly state?: string
  /** `name`, `property` or `itemprop` of a meta element. */
  readonly meta?: string
  /**
   * Path in the microdata, RDFa or microformats of the page or item: a type or property, then
   * properties. Examples: `Product.offers.price`, `h-entry.name`.
   */
  readonly microdata?: string
  /**
   * A part of the product that the page is about, from its JSON-LD, microdata, meta elements,
   * scripts' state and what it shows. `availability` is a term of schema.org such as `InStock`;
   * `reasons` says where each part was found.
   */
  readonly product?:
    | 'name'
    | 'price'
    | 'currency'
    | 'availability'
    | 'sku'
    | 'mpn'
    | 'gtin'
    | 'brand'
    | 'rating'
    | 'reviews'
    | 'description'
    | 'image'
    | 'reasons'
  /** Any JSON: the same value in every row. */
  readonly const?: Json
  /** The page's URL. */
  readonly url?: true
  /**
   * A fact about the visit: `url` as requested, `finalUrl` after redirects, HTTP `status`,
   * `outcome` (`fetched`, `failed`, `blocked`), `error`, `contentType`, `bytes`, `label`, `depth`,
   * `foundOn` (the page with the link).
   */
  readonly page?:
    | 'url'
    | 'finalUrl'
    | 'status'
    | 'outcome'
    | 'error'
    | 'contentType'
    | 'bytes'
    | 'label'
    | 'depth'
    | 'foundOn'
  /** Name of a field in `carry` of a rule in `follow`: the carried value. */
  readonly carried?: string
  /**
   * A question to a language model, such as `The price of the article, without shipping`. The model
   * reads the page's main content, or the text of the row's item, once a page for all its fields.
   * In a list of sources it is asked only if the sources before it found nothing. `fields` below it
   * are read by the model too. Needs a platform with a model.
   */
  readonly model?: string
  /**
   * Regular expression over the source's value; alone, over the text of the item or page. RE2
   * syntax: JavaScript's without lookaround and backreferences. `(?i)` ignores case.
   */
  readonly regex?: string
  /**
   * The group of `regex` that is the value, by number or name. Default: the first group, or the
   * whole match if the pattern has no groups.
   */
  readonly group?: number | string
  /** Steps that change the text, in order, before it is converted to the type. */
  readonly transform?: readonly Transform[]
  /**
   * Type of the value, with its format if needed; default `text`. Without a format, the separators
   * of numbers come from other numbers of the column, from the language of the page or from the
   * rest of the page, and names of months from its language. A number or date that can still be
   * read in two ways is `null`, and the page report says so.
   */
  readonly as?: ValueReading
  /** All matches, as a list. */
  readonly many?: boolean
}

/** Column name to field, in column order. */
export type Fields = { readonly [name: string]: Field }

/** One step that changes the text. */
export type Transform = 'trim' | 'collapse' | 'lower' | 'upper' | 'name' | TransformStep

/** One step with an argument; exactly one key. */
export type TransformStep = {
  /** A replacement of a text, or of the matches of a pattern. */
  readonly replace?: Replacement
  /** Splits the text into a list. Parts are trimmed; empty ones are dropped. */
  readonly split?: string
  /** Joins a list into one text. */
  readonly join?: string
  /** One item of a list, counted from 0; -1 is the last. */
  readonly item?: number
  /**
   * Characters from one position up to another, counted from 0; negative positions count from the
   * end.
   */
  readonly slice?: readonly [number] | readonly [number, number]
  /** Put before the text. */
  readonly prefix?: string
  /** Put after the text. */
  readonly suffix?: string
  /** Maps texts to values. Any other text stays as it is. */
  readonly map?: { readonly [name: string]: string | number | boolean }
  /**
   * The value if the source found no value. An item with nothing but defaults does not become a
   * row.
   */
  readonly default?: string | number | boolean
}

/** A replacement of a text, or of the matches of a pattern. */
export type Replacement = readonly [string, string] | PatternReplacement

/** Every match of a pattern; `$1` in `with` is its first group. */
export type PatternReplacement = {
  /** Pattern, in the syntax of RE2. */
  readonly regex: string
  /** The replacement of each match. */
  readonly with: string
}

/**
 * Type of the value, with its format if needed; default `text`. Without a format, the separators of
 * numbers come from other numbers of the column, from the language of the page or from the rest of
 * the page, and names of months from its language. A number or date that can still be read in two
 * ways is `null`, and the page report says so.
 */
export type ValueReading =
  | 'text'
  | 'html'
  | 'markdown'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'date'
  | 'url'
  | 'media'
  | 'json'
  | ValueFormat

/** A type with the way in which the page writes it; exactly one key. */
export type ValueFormat = {
  /** With `,`, 1.299 is 1299, and 1,5 is 1.5. */
  readonly number?: {
    /** The sign before the fraction. All other separators group digits. */
    readonly decimal: '.' | ','
  }
  /** As `number`, without the fraction. */
  readonly integer?: {
    /** The sign before the fraction. All other separators group digits. */
    readonly decimal: '.' | ','
  }
  /** `{ "order": "dmy" }`: 01/02/2026 is 1 February. */
  readonly date?: {
    /** The order of day, month and year in numbers: `dmy`, `mdy` or `ymd`. */
    readonly order: 'dmy' | 'mdy' | 'ymd'
  }
}

/** One action on a page: exactly one of `wait`, `click`, `fill`, `press`, `scroll`. */
export type PageAction = {
  /** Waits until something visible matches this CSS selector or XPath, or for this many ms. */
  readonly wait?: number | string
  /** Clicks the first visible match. */
  readonly click?: string
  /** Enters `value` into a form field. */
  readonly fill?: string
  /** Presses a key by its name, such as `Enter`. */
  readonly press?: string
  /** Scrolls by this many pixels, or to the `end` of the page. */
  readonly scroll?: number | 'end'
  /** Of `fill`. */
  readonly value?: string
  /**
   * For `click` and `scroll`: maximum repetitions. Clicking ends when nothing matches any more.
   * Default 1.
   */
  readonly times?: number
  /**
   * For `click`: if true, a page on which nothing matches is still read, for example without its
   * cookie notice. Otherwise such a page is `failed`.
   */
  readonly optional?: boolean
}

/** `auto` detects rows and columns on the first page of the run. */
export type Extraction = ExtractRules | 'auto'

/** What to extract from each page: its rows, and the columns of a row. */
export type ExtractRules = {
  /** Label of the pages that this applies to. Default: every page. */
  readonly on?: string
  /**
   * One row for each match; absent: one row a page. A CSS selector, an XPath (starting with `/`),
   * or a JSONPath (starting with `$`) in a JSON page (CSV and JSON Lines: `$[*]`; PDF:
   * `$.pages[*]`) or in the JSON-LD of an HTML page. `:state($..products[*])`: in the JSON that
   * scripts left in an HTML page. `:auto`, `:auto(list)`, `:auto(table)` and `:auto(table as
   * written)` detect what repeats on the first page; the last leaves headings and cells as the page
   * writes them. `:model(every open position)`: what a language model finds for these words.
   */
  readonly items?: string
  /** Column name to field, in column order. */
  readonly fields?: Fields
  /**
   * Pages that could not be fetched become rows too, with their `page`, `url` and `const` fields.
   * Without `items`, pages without a match do so too.
   */
  readonly failed?: boolean
}
