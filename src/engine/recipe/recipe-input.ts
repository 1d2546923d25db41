// Made from the schema of recipes: do not edit. After a change of it: npm run client
import type { Json } from '../../kernel/json.ts'

/** What to visit and what to take from it. */
export type RecipeInput = {
  /** Where a run starts: URLs, a sitemap, a feed or a search. */
  readonly start: {
    /** A URL may hold `{1..20}` or `{a,b,c}`, which stands for several URLs. */
    readonly urls?: readonly string[]
    /** URL of a sitemap or a sitemap index, plain or gzipped. */
    readonly sitemap?: string
    /**
     * URL of a feed (RSS, Atom, JSON Feed) whose entries are visited. To read the feed itself, name
     * it in `urls`.
     */
    readonly feed?: string
    /**
     * A search whose results are visited. The platform asks its search engine, or else looks
     * through what the account has fetched.
     */
    readonly search?: SearchInput
  }
  /** Which links of a page are visited next. */
  readonly follow?: readonly (
    | {
        /**
         * Visits the links that this CSS selector or XPath finds, or on JSON pages the URLs that
         * this JSONPath (it begins with `$`) finds.
         */
        readonly links: string
        /** Label that the found pages get. */
        readonly as?: string
        /** Label of the pages that this holds for; absent: every page. */
        readonly on?: string
      }
    | {
        /**
         * CSS selector or XPath of the link, or JSONPath of the URL on JSON pages: walks a
         * pagination. The found page has the label of the page it was found on, and is no level
         * deeper. `:auto`: the link to the next page, found out on the first.
         */
        readonly next: string
        /**
         * Query parameter of the page's own URL that gets what `next` finds: a cursor or a page
         * number, where an API gives no URL. `next` is a JSONPath then.
         */
        readonly param?: string
        /** Most pages of one pagination. */
        readonly maxPages?: number
        /** Label of the pages that this holds for; absent: every page. */
        readonly on?: string
      }
  )[]
  /** Which pages are visited, how many, and how fast. */
  readonly crawl?: {
    /**
     * `page`: the start URLs alone; `path`: below the start URL's folder; `host`; `domain`: with
     * all subdomains; `any`.
     */
    readonly scope?: 'page' | 'path' | 'host' | 'domain' | 'any'
    /** URL globs (`*` within a segment, `**` across), one of which a URL must match. */
    readonly include?: readonly string[]
    /** URL globs, none of which a URL may match. */
    readonly exclude?: readonly string[]
    /** Most links from a start page to a page. Start pages have depth 0. */
    readonly maxDepth?: number
    /** Most pages that are visited. */
    readonly maxPages?: number
    /** Whether robots.txt is obeyed; default true. */
    readonly robots?: boolean
    /** Least time between two requests to one host, in ms. */
    readonly delayMs?: number
    /** Pages at the same time, by all workers together. Absent: 8, by each worker that takes part. */
    readonly concurrency?: number
  }
  /** How each page is fetched and rendered. */
  readonly page?: {
    /**
     * `http` (default): pages as they are fetched; `browser`: as they are when their scripts have
     * run; `auto`: the latter where a page is empty without. The last two need a browser, which not
     * every platform has.
     */
    readonly render?: 'http' | 'browser' | 'auto'
    /**
     * What is done on the page before it is read, in order; with `render: "browser"`. Between two
     * actions the page comes to rest.
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
     * What the format `screenshot` shows: the window (default), or the page from top to end, as far
     * as 16,384 pixels.
     */
    readonly screenshot?: 'viewport' | 'full'
    /** Request headers of pages, by name. Headers with secrets go to the origins of `headersTo`. */
    readonly headers?: { readonly [name: string]: string }
    /**
     * The origins that get `headers`. Absent: those of the start URLs, the sitemap and the feed.
     * Other origins get those alone that hold no secrets, such as `Accept-Language` and
     * `User-Agent`: no cookies, no keys.
     */
    readonly headersTo?: readonly string[]
    /** Most time for one request of a page, in ms. */
    readonly timeoutMs?: number
    /**
     * A page that an execution with this part has fetched for the account no longer ago than this,
     * by the same URL, headers and rendering, is not requested again. Default 0: every page is
     * requested.
     */
    readonly maxAgeSeconds?: number
    /**
     * Whether fetched pages are kept with the execution, as the recipe saw them, so that `POST
     * /api/v1/executions/:id/extract` can run a changed recipe over them without fetching again.
     * Default false.
     */
    readonly keep?: boolean
  }
  /** `auto`: rows and columns are found out on the first page of the run. */
  readonly extract?: Extraction
  /**
   * What a page is turned into as a whole; each is a column. `article`: title, byline, published,
   * siteName, language, excerpt, image, text, markdown, wordCount; `structured`: JSON-LD,
   * microdata, OpenGraph and Twitter cards; `screenshot`: a PNG, as media.
   */
  readonly formats?: readonly (
    | 'markdown'
    | 'text'
    | 'html'
    | 'links'
    | 'metadata'
    | 'article'
    | 'structured'
    | 'screenshot'
  )[]
  /** What is done with the rows. */
  readonly output?: {
    /** Columns that tell rows apart; a row that repeats them is dropped. */
    readonly unique?: readonly string[]
  }
  /** Limits of one run. A run that meets one ends there. */
  readonly budget?: {
    /** Most pages that are visited. */
    readonly pages?: number
    /** Most credits that it may cost. */
    readonly credits?: number
    /** Most time from its start, in seconds. */
    readonly seconds?: number
  }
}

/**
 * A search whose results are visited. The platform asks its search engine, or else looks through
 * what the account has fetched.
 */
export type SearchInput = string | StartSearchOptions

/** A search, with a limit of its results. */
export type StartSearchOptions = {
  /** Words as for any search engine. */
  readonly query: string
  /** Most results that are visited; default 20. A search engine may give fewer. */
  readonly limit?: number
}

/** One thing that is done on a page: exactly one of `wait`, `click`, `fill`, `press`, `scroll`. */
export type PageAction = {
  /** Until something visible matches this CSS selector or XPath, or so many ms. */
  readonly wait?: number | string
  /** Clicks the first visible match. */
  readonly click?: string
  /** Puts `value` into a field of a form. */
  readonly fill?: string
  /** Presses a key by its name, such as `Enter`. */
  readonly press?: string
  /** By so many pixels, or to the `end` of the page. */
  readonly scroll?: number | 'end'
  /** Of `fill`. */
  readonly value?: string
  /**
   * Of `click` and `scroll`: how often, at most; clicking ends when nothing matches any more.
   * Default 1.
   */
  readonly times?: number
  /**
   * Of `click`: whether the page is as good without it, as with a notice that is not always there.
   * Else a page on which nothing matches is `failed`.
   */
  readonly optional?: boolean
}

/** `auto`: rows and columns are found out on the first page of the run. */
export type Extraction = ExtractRules | 'auto'

/** What is taken from each page: its rows, and the columns of a row. */
export type ExtractRules = {
  /** Label of the pages that this holds for; absent: every page. */
  readonly on?: string
  /**
   * One row for each match of this CSS selector or XPath (it begins with `/`), or of this JSONPath
   * (it begins with `$`) in a JSON page (CSV and JSON Lines are lists of records, `$[*]`, and PDFs
   * have `$.pages[*]`) or in the JSON-LD of another; absent: the page is one row. `:auto`,
   * `:auto(list)`, `:auto(table)`: what repeats on the first page, found out there. `:model(every
   * open position)`: what a language model finds on the page by these words.
   */
  readonly items?: string
  /** Column name to field, in column order. */
  readonly fields?: Fields
  /**
   * Pages that could not be fetched are rows too, with what is known of them (`page`, `url` and
   * `const` fields); so is each page on which nothing matched, without `items`.
   */
  readonly failed?: boolean
}

/** Column name to field, in column order. */
export type Fields = { readonly [name: string]: Field }

/**
 * A CSS selector, a JSONPath, an XPath, a source, or a list of these tried in order until one gives
 * a value.
 */
export type Field = string | FieldSource | readonly (string | FieldSource)[]

/**
 * One way to find a value: exactly one of `css`, `xpath`, `json`, `jsonld`, `meta`, `microdata`,
 * `const`, `url`, `page`, `model`, or `regex` alone.
 */
export type FieldSource = {
  /** CSS selector, below the row's item or the page. */
  readonly css?: string
  /** The attribute instead of the text, as written unless `as` is `url`. */
  readonly attr?: string
  /** Column name to field, in column order. */
  readonly fields?: Fields
  /** XPath 1.0 location path: `.//a` below the row's item, `//a` from the page's root. */
  readonly xpath?: string
  /**
   * JSONPath over the document of a JSON page, or of CSV, JSON Lines or a PDF; beside `css` or
   * `xpath` over the JSON in an element; from the row's item where `items` begins with `$`, such as
   * `$.name`.
   */
  readonly json?: string
  /** JSONPath over the page's JSON-LD, such as `$..sku`. */
  readonly jsonld?: string
  /** `name`, `property` or `itemprop` of a meta element. */
  readonly meta?: string
  /**
   * Path in the microdata of the page or item: a type or a property, then properties, such as
   * `Product.offers.price`.
   */
  readonly microdata?: string
  /** Any JSON: the same value in every row. */
  readonly const?: Json
  /** The page's URL. */
  readonly url?: true
  /**
   * A fact of the visit: `url` as it was asked for, `finalUrl` after redirects, HTTP `status`,
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
  /**
   * What a language model is to find, in words, such as `The price of the article, without
   * shipping`. It reads the page's main content, or the text of the row's item, once a page for all
   * such fields; it is asked only for what the sources before it in a list did not find. Below it,
   * `fields` are such fields too. Needs a platform with a model.
   */
  readonly model?: string
  /**
   * Pattern over what the source found, or over the text of the item or page where it stands alone.
   * Syntax of RE2: that of JavaScript without lookaround and backreferences; `(?i)` ignores case.
   */
  readonly regex?: string
  /**
   * Which group of `regex` is the value, by number or name; default the first, or the whole match
   * where there is none.
   */
  readonly group?: number | string
  /** What is done with the text, in order, before it is read as a type. */
  readonly transform?: readonly Transform[]
  /** What the value is read as; default `text`. */
  readonly as?:
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
  /** All matches, as a list. */
  readonly many?: boolean
}

/** One step of what is done with a text. */
export type Transform = 'trim' | 'collapse' | 'lower' | 'upper' | TransformStep

/** One step with an argument; exactly one key. */
export type TransformStep = {
  /** What stands in place of a text, or of the matches of a pattern. */
  readonly replace?: Replacement
  /** Splits at a text into a list, of which each part is trimmed and empty ones are left out. */
  readonly split?: string
  /** Makes a list one text. */
  readonly join?: string
  /** One of a list, from 0, or from the end with -1. */
  readonly item?: number
  /** Characters from one place up to another, from 0, or from the end where negative. */
  readonly slice?: readonly [number] | readonly [number, number]
  /** Put before the text. */
  readonly prefix?: string
  /** Put after the text. */
  readonly suffix?: string
  /** Text to value; any other text stays as it is. */
  readonly map?: { readonly [name: string]: string | number | boolean }
  /**
   * The value where there is none. It does not make a row of an item in which nothing else was
   * found.
   */
  readonly default?: string | number | boolean
}

/** What stands in place of a text, or of the matches of a pattern. */
export type Replacement = readonly [string, string] | PatternReplacement

/** Every match of a pattern; `$1` in `with` is its first group. */
export type PatternReplacement = {
  /** Pattern, in the syntax of RE2. */
  readonly regex: string
  /** What stands in place of each match. */
  readonly with: string
}
