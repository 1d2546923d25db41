import type { Json, Row } from '../kernel/json.ts'
import type { PdfText } from './pdf-reader.ts'

/** A fetched page, as the engine works on it. */
export interface Page {
  /** Final URL, after redirects. */
  readonly url: string
  /** Value of the `Content-Type` header; empty if there was none. */
  readonly contentType: string
  readonly body: Uint8Array
  /** The URL that was asked for, where redirects led to another one. */
  readonly requestedUrl?: string
  /** HTTP status; absent where the page did not come over HTTP. */
  readonly status?: number
  /** What a reader found in a PDF. Without it, a PDF has nothing. */
  readonly pdf?: PdfText
}

/** A page that could not be fetched. */
export interface FailedPage {
  /** The URL that was asked for. */
  readonly url: string
  /** Where its redirects ended, if there was an answer. */
  readonly finalUrl: string | null
  readonly status: number | null
  /** `failed` or `blocked`. */
  readonly outcome: string
  /** Why, for people. */
  readonly error: string
  readonly contentType: string | null
  readonly bytes: number
}

/** Where a page stands in a run. */
export interface Visit {
  /** `start`, or the `as` of the rule that found it. */
  readonly label: string
  /** Links followed since the start; pagination does not count. */
  readonly depth: number
  /** Pages of the pagination so far, this one included; 1 outside of one. */
  readonly hop: number
  /** The page on which its link was first found; absent for a start page, and where the recipe does not ask for it. */
  readonly foundOn?: string
}

/** A link that a recipe's rules selected. */
export interface FoundLink extends Visit {
  /** Absolute, http(s), without fragment. */
  readonly url: string
}

/** What a model is to read of a page, where the recipe has fields for it. */
export interface PageQuestion {
  readonly url: string
  readonly title: string | null
  /** What addresses in the answer are relative to. */
  readonly baseUrl: string
  /** The page's main content, or the text of each row that is asked about; `row`: which one. */
  readonly parts: readonly { readonly row: number; readonly text: string }[]
  /** Columns without a value in one of these rows. */
  readonly columns: readonly string[]
  /** Whether there was more than a model is given. */
  readonly cut: boolean
  /** Whether a row has a value that the page itself gave. */
  readonly found: boolean
}

/** What one page may cost. */
export interface PageLimits {
  /** Units of work, of about 25 ns each. */
  readonly steps: number
  /** Bytes of what is made of the page: its tree, values, rows, formats and links. */
  readonly bytes: number
}

/** Why a page was too costly. What was made of it before is kept. */
export interface PageOverrun {
  readonly what: keyof PageLimits
  /** How much there was to spend. */
  readonly limit: number
  /** What was being made: a column, a format, `links`, `page`. */
  readonly where: string
}

/** What a recipe makes of one page. */
export interface PageResult {
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  /** Column → how many rows of this page have a value for it; tells which selector matched nothing. */
  readonly filled: Readonly<Record<string, number>>
  /** False where the recipe does not extract from a page of this label. */
  readonly extracted: boolean
  /** What is left for a model: until it is answered, `rows` has all that may become one, and `filled` is empty. Absent: nothing. */
  readonly question?: PageQuestion
  /** The page used up its budget: rows, values and links are those made until then. Absent: it did not. */
  readonly overrun?: PageOverrun
}

/** A recipe that a {@link PageProcessor} holds ready. */
export interface OpenRecipe {
  /**
   * What the recipe makes of a page; the same as its plan once the page is prepared (`preparePage` of `seine/engine`), whatever else is under way. The body is left as it is.
   * Rejects with the signal's reason once that aborts, and for whatever keeps a page from being processed: the recipe is
   * not valid, the processor is closed, or what worked on this page died or took too long. Other pages are not affected.
   */
  process(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageResult>
  /** Drops the recipe; its pages under way reject. Idempotent. */
  close(): void
}

/** Turns pages into rows and links away from the thread that fetches, stores and answers. */
export interface PageProcessor {
  /** Never throws; a recipe that is not valid rejects in `process`. */
  open(recipe: Json): OpenRecipe
  /** Ends what it started; pages under way reject. Idempotent. */
  close(): Promise<void>
}
