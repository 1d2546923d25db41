import type { Json, Row } from '../kernel/json.ts'
import type { NormalUrl } from '../kernel/url.ts'
import type { DocumentHtml, DocumentText } from './document-reader.ts'
import type { PageLimits, PageLosses, PageSpent } from './page-limits.ts'
import type { ExportColumnType, OpenRows, RowsSpec } from './row-work.ts'

/** A fetched page, as the engine processes it. */
export interface Page {
  /** Final URL, after redirects. */
  readonly url: string
  /** Value of the `Content-Type` header; empty if there was no such header. */
  readonly contentType: string
  readonly body: Uint8Array
  /** The requested URL, if redirects led to another one. */
  readonly requestedUrl?: string
  /** HTTP status; absent where the page did not come over HTTP. */
  readonly status?: number
  /**
   * The time of the visit, in Unix milliseconds. Dates such as `yesterday` or `5 May` are relative
   * to it. Absent: not known, and such dates are not read.
   */
  readonly visitedAt?: number
  /**
   * The text and tables that a reader found in a PDF or an Office file. Without it such a page
   * counts as empty.
   */
  readonly document?: DocumentText | DocumentHtml
  /**
   * Cost of the earlier questions of the same visit. All questions of a visit share one budget.
   * Absent: nothing was spent.
   */
  readonly spent?: PageSpent
  /** The values that the question `relocate` looks for. Absent: none. */
  readonly sought?: SoughtRows
  /** The elements that the question `point` is about. Absent: none. */
  readonly pointed?: PointedElements
}

/** Rows that a recipe extracted earlier. Their values are looked for on a page. */
export interface SoughtRows {
  /** The columns whose sources no longer match enough. */
  readonly columns: readonly string[]
  /** All columns of the rows. Those that are not looked for help to recognise the rows. */
  readonly rows: readonly Row[]
}

/** A source that finds values of a column on one page, with the number of rows in which it does. */
export interface LocatedSource {
  readonly column: string
  /** Ready to be a source of a recipe's field. */
  readonly source: Json
  readonly rows: number
}

/** Sources of the sought values within the items that one selector matches. */
export interface RelocatedItems {
  /** A new selector of the items. `null`: those of the recipe, or the whole page. */
  readonly items: string | null
  readonly sources: readonly LocatedSource[]
}

/** Sources of the sought values on a page. Empty: the page has none of them. */
export type PageRelocation = readonly RelocatedItems[]

/** A page that could not be fetched. */
export interface FailedPage {
  /** The URL that was asked for. */
  readonly url: string
  /** The final URL after redirects, if there was a response. */
  readonly finalUrl: string | null
  readonly status: number | null
  /** `failed` or `blocked`. */
  readonly outcome: string
  /** Why, for people. */
  readonly error: string
  readonly contentType: string | null
  readonly bytes: number
}

/** Elements of a page that a user points at. */
export interface PointedElements {
  /** Indexes of `PageView`: one element, or two in different items of a list. */
  readonly elements: readonly number[]
  /**
   * CSS selector of the items from which values are read. Absent: values are read from the whole
   * page.
   */
  readonly items?: string
}

/** A page for a user to look at and point at. No script of it runs, and it loads nothing. */
export interface PageView {
  /** A whole document. Each element has its index in the page's tree as `data-seine-index`. */
  readonly html: string
  /** The page's own style sheets, without addresses. */
  readonly styles: readonly string[]
  /** Number of elements that are shown. */
  readonly elements: number
  /** True if a bound left out a part of the page. */
  readonly isCut: boolean
  /** Files that a browser would load to show the page: style sheets first, then pictures. */
  readonly files: readonly PageFile[]
}

/** A style sheet or a picture that a page refers to. */
export interface PageFile {
  readonly kind: 'style' | 'picture'
  readonly url: string
  /** Indexes of the `img` elements that show a picture. */
  readonly elements: readonly number[]
  /** For a linked style sheet: the index in {@link PageView.styles} of the sheet after it. */
  readonly position: number | null
  /** The media query list of a style sheet. `null`: it is for all media. */
  readonly media: string | null
}

/** A source that finds the element that was pointed at. */
export interface PointedSource {
  readonly selector: string
  /** Ready to be the source of a recipe's field. */
  readonly field: Json
  /** Number of elements that it matches on the page, or of items in which it finds a value. */
  readonly matches: number
  /** Indexes of the first of them. */
  readonly elements: readonly number[]
}

/** A list that contains the element. */
export interface PointedList {
  readonly items: string
  readonly matches: number
  readonly elements: readonly number[]
}

/** Proposals for the elements that a user points at. */
export interface PageCandidates {
  /** A name for the column. */
  readonly name: string
  /** The first characters of the element's text. */
  readonly text: string
  /** Attributes that are often wanted, with their values. */
  readonly attributes: { readonly [name: string]: string }
  /** True if an item contains the element. `false` if the request names no items. */
  readonly isInItems: boolean
  /** The best first. */
  readonly sources: readonly PointedSource[]
  /** Lists that contain the element, the likeliest first. Empty if the request names items. */
  readonly lists: readonly PointedList[]
  /**
   * The link that contains the element. `next`: a selector for `follow`, if the link leads to the
   * next page.
   */
  readonly link: { readonly url: string; readonly next: string | null } | null
}

/** The position of a page in a run. */
export interface Visit {
  /** `start`, or the `as` of the rule that found it. */
  readonly label: string
  /** Links followed since the start; pagination does not count. */
  readonly depth: number
  /** Pages of the pagination so far, this one included; 1 outside of one. */
  readonly hop: number
  /**
   * The page on which its link was first found. Absent for a start page, or if the recipe does not
   * ask for it.
   */
  readonly foundOn?: string
  /** Values that the rules carried along from earlier pages. Absent: none. */
  readonly carried?: Row
}

/** A link that a recipe's rules selected. */
export interface FoundLink extends Visit {
  readonly url: NormalUrl
}

/** The question for a model, if the recipe has fields that a model reads. */
export interface PageQuestion {
  readonly url: string
  readonly title: string | null
  /** The base of relative addresses in the answer. */
  readonly baseUrl: string
  /** The page's main content, or the text of each row in question. `row`: the index of the row. */
  readonly parts: readonly { readonly row: number; readonly text: string }[]
  /** Columns that have no value in one of these rows. */
  readonly columns: readonly string[]
  /** True if the text was cut to the model's limit. */
  readonly cut: boolean
  /** True if a row has a value from the page itself. */
  readonly found: boolean
}

/**
 * Consecutive rows whose values come from the same sources. `codes` has one character for each
 * column of the recipe, in order.
 */
export type SourceRun = readonly [codes: string, rows: number]

/** The result of a recipe on one page. */
export interface PageResult extends PageLosses {
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  /**
   * Column → the number of rows of this page that have a value for it. Shows which selectors
   * matched nothing.
   */
  readonly filled: Readonly<Record<string, number>>
  /** False if the recipe does not extract from pages of this label. */
  readonly extracted: boolean
  /** The sources that gave the values of `rows`. Absent: not known. */
  readonly sources?: readonly SourceRun[]
  /** SHA-256 of the page's body, in lower-case hex. Absent: the processor has not made it. */
  readonly digest?: string
  /**
   * The question for a model. Until it is answered, `rows` has all candidates, and `filled` is
   * empty. Absent: no question.
   */
  readonly question?: PageQuestion
}

/** The matches of one source of a field on one page. */
export interface SourceMatch {
  readonly field: string
  /** Its path in the recipe: `extract.fields.price.0`. */
  readonly path: string
  /** The source in short: `css .price`. */
  readonly source: string
  /** Places that it found. */
  readonly matches: number
  /** Rows in which it finds a value. */
  readonly values: number
  /** Rows that have their value from it. */
  readonly used: number
  /** The first value; `null` without a value. */
  readonly sample: Json
  /** The first match that does not convert to the type. `null`: all matches convert. */
  readonly failed: { readonly text: string; readonly as: string } | null
  /** The first ambiguous match, which can be read as two numbers or dates. `null`: there is none. */
  readonly unclear: { readonly text: string; readonly as: string } | null
  /** The first matches, at most 3, before and after conversion. */
  readonly examples: readonly ConvertedMatch[]
  /** Why the source found no value. `null`: it found one. */
  readonly reason: string | null
}

/** A match of a source: before its pattern, its steps and its conversion, and after. */
export interface ConvertedMatch {
  /** The text or the attribute of an element. `null`: there is no text. */
  readonly before: Json
  /** `null`: it gives no value. */
  readonly after: Json
}

/** The links of one rule of `follow` on one page. */
export interface RuleMatch {
  /** Its path in the recipe: `follow.0.links`. */
  readonly path: string
  readonly selector: string
  /** Label of the pages it links to. */
  readonly label: string
  /**
   * Number of different pages that the links lead to. It counts all links of `next`, although only
   * the first is followed.
   */
  readonly urls: readonly string[]
}

/** The matches of each part of a recipe on one page. */
export interface PageExplanation {
  /** Number of matches of `extract.items`. `null`: the page is one row, or gives no rows. */
  readonly items: number | null
  /** The fields in order, each with its fallbacks. Empty if nothing is extracted from the page. */
  readonly sources: readonly SourceMatch[]
  /** The results of the rules that apply to this page. */
  readonly rules: readonly RuleMatch[]
}

/** A group that repeats on a page and was not taken for a list. */
export interface RefusedItems {
  /** Short description of the items: `ul.menu > li`. It may match other elements too. */
  readonly items: string
  readonly count: number
  /** The start of the first one's text. */
  readonly text: string
  /** The reason in a sentence. It also says if the group is outside the page's main part. */
  readonly reason: string
}

/** The detected kind of a page, and how to extract it. */
export interface PageDetection {
  readonly kind: 'list' | 'table' | 'article' | 'product' | 'page'
  /** Ready to be a recipe's `extract`; a page without a better kind gives its title and text. */
  readonly extract: {
    readonly items?: string
    readonly fields: { readonly [column: string]: Json }
  }
  /** Selector of the link to the next page, or JSONPath, for a recipe's `follow`. */
  readonly next?: string
  /** The query parameter that takes the value of `next`, if that value is not a URL. */
  readonly param?: string
  /** The confidence in this kind, from 0 to 1. */
  readonly confidence: number
  /** The reason for this kind, in a sentence for people. */
  readonly reason: string
  /** Other ways to read the page, best first. */
  readonly others: readonly Pick<PageDetection, 'kind' | 'extract' | 'confidence' | 'reason'>[]
  /**
   * Other groups that repeat on the page, and why they are not lists. Those with the most text are
   * first.
   */
  readonly refused: readonly RefusedItems[]
  /** Set if scripts write the page, so that it has hardly any text without them. */
  readonly needsScripts?: true
}

/** The result of detection on a page, for a recipe that leaves something open. */
export interface PageProposal extends Pick<PageDetection, 'kind' | 'confidence' | 'reason'> {
  /** The whole recipe, completed by detection. */
  readonly recipe: Json
}

/** A way to complete a recipe, with its results on the page. */
export interface PageSample extends PageProposal {
  /** Columns in order. `null`: a column without values, whose type is not known. */
  readonly columns: readonly { readonly name: string; readonly type: ExportColumnType | null }[]
  /** The first few rows. */
  readonly rows: readonly Row[]
  /** Number of all rows. */
  readonly count: number
}

/** The result of a preview for one page. */
export interface PageInspection {
  /** With a question, if a model has to read something. */
  readonly result: PageResult
  /** `null` if the budget that was left is too small; the result says so. */
  readonly explanation: PageExplanation | null
  /** `null` if the recipe leaves nothing to detection. */
  readonly proposal: PageProposal | null
  /** All ways to complete a recipe with `extract: "auto"`, best first. Empty for other recipes. */
  readonly proposals: readonly PageSample[]
  /** Groups that detection rejected as lists. Empty if nothing was detected. */
  readonly refused: readonly RefusedItems[]
  /** True if scripts write the page: it has little text, and the recipe matches nothing. */
  readonly isShell: boolean
}

/** Whether a page needs its scripts, and the cost of the check. */
export interface PageShell {
  /** True if the page needs its scripts: it has little text. */
  readonly isShell: boolean
  readonly spent: PageSpent
}

/** A page as text for a reader. */
export interface PageText extends PageLosses, PageShell {
  readonly title: string | null
  /** Markdown; for a document other than a page or a feed, its text. `null` if it has no text. */
  readonly text: string | null
  readonly facts: { readonly [name: string]: Json }
  /** True if the content type has text. */
  readonly isReadable: boolean
}

/**
 * The questions about a page and the types of their answers. All are plain data, which can be sent
 * to another thread.
 */
export interface PageAnswers {
  readonly process: PageResult
  readonly inspect: PageInspection
  readonly propose: PageInspection
  readonly complete: Json
  readonly isShell: PageShell
  readonly relocate: PageRelocation
  readonly detect: PageDetection
  readonly read: PageText
  readonly view: PageView
  readonly point: PageCandidates
}

/** Names of the questions. */
export type PageTask = keyof PageAnswers

/** Answers questions about pages on the calling thread. */
export interface PageWork {
  /**
   * `pause`: awaited between parts of long work on a page, so that everything else has a turn. If
   * it rejects, the answer does. Absent: the work is done at once.
   */
  answer<K extends PageTask>(
    task: K,
    page: Page,
    visit: Visit,
    pause?: () => Promise<void>,
  ): Promise<PageAnswers[K]>
}

/** Prepares a recipe. `null`: for questions that need no recipe. Rejects if the recipe is not valid. */
export type OpenPageWork = (recipe: Json | null, limits?: PageLimits) => Promise<PageWork>

/** A recipe that a {@link PageProcessor} has prepared, and the questions about its pages. */
export interface OpenRecipe extends OpenPages {
  /**
   * Processes a page with the recipe. The result equals that of its plan for a prepared page
   * (`preparePage` of `seine/engine`).
   */
  process(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageResult>
  /** The same, with the matches of each part of the recipe. */
  inspect(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageInspection>
  /** The same, after detection on this page has completed the recipe. */
  propose(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageInspection>
  /** Returns the recipe, completed by detection on this page. */
  complete(page: Page, signal?: AbortSignal): Promise<Json>
  /**
   * Checks whether the page needs its scripts: it has little text, and no match for the recipe's
   * selectors.
   */
  isShell(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageShell>
  /** Looks for the values of `page.sought`, and proposes sources that find them. */
  relocate(page: Page, signal?: AbortSignal): Promise<PageRelocation>
}

/** Questions about pages without a recipe. */
export interface OpenPages {
  /** Detects what can be extracted from a page. */
  detect(page: Page, signal?: AbortSignal): Promise<PageDetection>
  /** The text of a page, for a reader. */
  read(page: Page, signal?: AbortSignal): Promise<PageText>
  /** Returns the page for a user to look at. */
  view(page: Page, signal?: AbortSignal): Promise<PageView>
  /** Proposals for `page.pointed`. */
  point(page: Page, signal?: AbortSignal): Promise<PageCandidates>
  /** Drops the recipe. Its pages in flight reject. Idempotent. */
  close(): void
}

/** The account for which pages are processed, and the limits of one page. */
export interface OpenOptions {
  /** Accounts take turns. All pages without an account count as one account's. */
  readonly account?: string
  /** Absent: the default budget. */
  readonly limits?: PageLimits
}

/**
 * Processes pages, and rows of exports, outside the main thread.
 *
 * All results are plain data. The
 * body of a page is not changed. A page has the budget of `OpenOptions.limits` less what it has
 * already spent (`Page.spent`). A question rejects with the signal's reason when that aborts, with
 * a `PageFailure` if the page took too much time or memory, and with another error if the recipe is
 * not valid or the processor is closed. Other pages are not affected.
 */
export interface PageProcessor {
  /** Never throws. If the recipe is not valid, each question rejects. */
  open(recipe: Json, options?: OpenOptions): OpenRecipe
  /** Opens questions that need no recipe. */
  openPages(options?: OpenOptions): OpenPages
  /**
   * Opens the conversion of rows for an export. Never throws: for an unknown format, the conversion
   * rejects.
   */
  openRows(spec: RowsSpec, options?: Pick<OpenOptions, 'account'>): OpenRows
  /** Closes the processor. Pages in flight reject. Idempotent. */
  close(): Promise<void>
}
