import type { Row } from '../../kernel/json.ts'

/** A fetched page, as the engine works on it. */
export interface Page {
  /** Final URL, after redirects. */
  readonly url: string
  /** Value of the `Content-Type` header; empty if there was none. */
  readonly contentType: string
  readonly body: Uint8Array
}

/** Where a page stands in a run. */
export interface Visit {
  /** `start`, or the `as` of the rule that found it. */
  readonly label: string
  /** Links followed since the start; pagination does not count. */
  readonly depth: number
  /** Pages of the pagination so far, this one included; 1 outside of one. */
  readonly hop: number
}

/** A link that a recipe's rules selected. */
export interface FoundLink extends Visit {
  /** Absolute, http(s), without fragment. */
  readonly url: string
}

/** What a recipe makes of one page. */
export interface PageResult {
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  /** Column → how many rows of this page have a value for it; tells which selector matched nothing. */
  readonly filled: Readonly<Record<string, number>>
  /** False where the recipe does not extract from a page of this label. */
  readonly extracted: boolean
}

/**
 * A compiled recipe: selectors parsed once, defaults applied. Pure and synchronous; never throws on page content,
 * however hostile (depth, node count and selector work are capped).
 */
export interface Plan {
  /** Absolute start URLs with ranges expanded, normalised, in order, without repeats. */
  readonly startUrls: readonly string[]
  readonly sitemap: string | null
  readonly columns: readonly string[]
  readonly unique: readonly string[] | null
  readonly limits: { readonly maxPages: number; readonly maxDepth: number; readonly maxSeconds: number | null; readonly maxCredits: number | null }
  readonly crawl: { readonly robots: boolean; readonly delayMs: number; readonly concurrency: number }
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number }
  /** Whether a URL may be visited. */
  inScope(url: string): boolean
  process(page: Page, visit: Visit): PageResult
}
