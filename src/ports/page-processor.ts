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
  /** The URL that was asked for, where redirects led to another one. */
  readonly requestedUrl?: string
  /** HTTP status; absent where the page did not come over HTTP. */
  readonly status?: number
  /**
   * When the page was visited, in Unix milliseconds: what `yesterday` or `5 May` on it is relative
   * to. Absent: not known, and such dates are not read.
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

/** Rows that a recipe once found, whose values are looked for on a page. */
export interface SoughtRows {
  /** The columns whose sources match too little. */
  readonly columns: readonly string[]
  /** All columns of the rows, also those that are not looked for: they tell which row is which. */
  readonly rows: readonly Row[]
}

/** A source that finds values of a column on one page, and in how many of the rows. */
export interface LocatedSource {
  readonly column: string
  /** Ready to be a source of a recipe's field. */
  readonly source: Json
  readonly rows: number
}

/** Sources of the sought values, within the items of one selector. */
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

/** Elements of a page that someone points at. */
export interface PointedElements {
  /** Indexes of `PageView`: one element, or two in different items of a list. */
  readonly elements: readonly number[]
  /** CSS selector of the items that values are read from. Absent: values of the whole page. */
  readonly items?: string
}

/** A page to be looked at and pointed at. Nothing of it runs, and nothing is loaded for it. */
export interface PageView {
  /** A whole document. Each element has its index in the page's tree as `data-seine-index`. */
  readonly html: string
  /** The page's own style sheets, without addresses. */
  readonly styles: readonly string[]
  /** Number of elements that are shown. */
  readonly elements: number
  /** True if a bound left out a part of the page. */
  readonly isCut: boolean
  /** Files that a browser would load to show it: style sheets first, then pictures. */
  readonly files: readonly PageFile[]
}

/** A style sheet or a picture that a page names and that is not part of it. */
export interface PageFile {
  readonly kind: 'style' | 'picture'
  readonly url: string
  /** Indexes of the `img` elements that show a picture. */
  readonly elements: readonly number[]
  /** The style sheet of {@link PageView.styles} before which a linked one stands; or at their end. */
  readonly position: number | null
  /** Screens that a style sheet is for: a media query list. `null`: for all. */
  readonly media: string | null
}

/** A source that finds the element that was pointed at. */
export interface PointedSource {
  readonly selector: string
  /** Ready to be the source of a recipe's field. */
  readonly field: Json
  /** Number of elements that it matches on the page, or of items that it finds a value in. */
  readonly matches: number
  /** Indexes of the first of them. */
  readonly elements: readonly number[]
}

/** A list that the element is in. */
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
  /** True if an item contains the element. Without items: `false`. */
  readonly isInItems: boolean
  /** The best first. */
  readonly sources: readonly PointedSource[]
  /** Lists that have it, the likeliest first. With items: none. */
  readonly lists: readonly PointedList[]
  /** The link that it is in. `next`: a selector for `follow`, if the link leads to the next page. */
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
   * The page on which its link was first found; absent for a start page, and where the recipe does
   * not ask for it.
   */
  readonly foundOn?: string
  /** Values that the rules on the way here carried along. Absent: none. */
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
  /** The page's main content, or the text of each row that is asked about; `row`: which one. */
  readonly parts: readonly { readonly row: number; readonly text: string }[]
  /** Columns without a value in one of these rows. */
  readonly columns: readonly string[]
  /** True if the text was cut to the model's limit. */
  readonly cut: boolean
  /** True if a row has a value from the page itself. */
  readonly found: boolean
}

/**
 * Rows one after the other that have their values from the same sources. `codes` has one character
 * for each column of the recipe, in the order of its columns.
 */
export type SourceRun = readonly [codes: string, rows: number]

/** The result of a recipe on one page. */
export interface PageResult extends PageLosses {
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  /** Column → how many rows of this page have a value for it; tells which selector matched nothing. */
  readonly filled: Readonly<Record<string, number>>
  /** False where the recipe does not extract from a page of this label. */
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
  /** The first match that is not a value of the type. `null`: all matches are. */
  readonly failed: { readonly text: string; readonly as: string } | null
  /** The first match that can be read as two numbers or dates. `null`: all are clear. */
  readonly unclear: { readonly text: string; readonly as: string } | null
  /** The first matches, at most 3, before and after conversion. */
  readonly examples: readonly ConvertedMatch[]
  /** Why the source found no value. `null`: it found one. */
  readonly reason: string | null
}

/** A match of a source before and after its pattern, its steps and the conversion to its type. */
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
  /** Different pages that it leads to; of `next` too, which takes the first. */
  readonly urls: readonly string[]
}

/** The matches of each part of a recipe on one page. */
export interface PageExplanation {
  /**
   * Number of matches of `extract.items`; `null` if the page is one row, or no rows are taken from
   * it.
   */
  readonly items: number | null
  /** In the order of the fields and their fallbacks; empty where the page is not extracted from. */
  readonly sources: readonly SourceMatch[]
  /** The results of the rules that apply to the page. */
  readonly rules: readonly RuleMatch[]
}

/** A group that repeats on a page and was not taken for a list. */
export interface RefusedItems {
  /** Name and position of the items, in short: `ul.menu > li`. It may match others too. */
  readonly items: string
  readonly count: number
  /** The start of the first one's text. */
  readonly text: string
  /** A sentence. It says, too, if they are outside what the page names as its main part. */
  readonly reason: string
}

/** The detected kind of a page, and how to extract it. */
export interface PageDetection {
  readonly kind: 'list' | 'table' | 'article' | 'product' | 'page'
  /** Ready to be a recipe's `extract`; a page of no other kind gives its title and its text. */
  readonly extract: {
    readonly items?: string
    readonly fields: { readonly [column: string]: Json }
  }
  /** Selector of the link to the next page, or JSONPath, for a recipe's `follow`. */
  readonly next?: string
  /** The query parameter that takes the value of `next`, where that is not a URL. */
  readonly param?: string
  /** 0–1: how much speaks for this kind. */
  readonly confidence: number
  /** Why the page is taken for this kind, in a sentence for people. */
  readonly reason: string
  /** Other ways to read the page, best first. */
  readonly others: readonly Pick<PageDetection, 'kind' | 'extract' | 'confidence' | 'reason'>[]
  /** Other groups that repeat on the page, and why each is no list; those with the most text first. */
  readonly refused: readonly RefusedItems[]
  /** Present if scripts write the page: without them it has hardly any text. */
  readonly needsScripts?: true
}

/** The result of detection on a page, for a recipe that leaves something open. */
export interface PageProposal extends Pick<PageDetection, 'kind' | 'confidence' | 'reason'> {
  /** The whole recipe, completed by detection. */
  readonly recipe: Json
}

/** A way to complete a recipe, with what it gives on the page. */
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
  /** With a question where something is left to a model. */
  readonly result: PageResult
  /** `null` where the budget that the result has left was not enough for it; the result says so. */
  readonly explanation: PageExplanation | null
  /** `null` where nothing was to be found out. */
  readonly proposal: PageProposal | null
  /** All ways to complete a recipe with `extract: "auto"`, best first; else empty. */
  readonly proposals: readonly PageSample[]
  /** Groups that detection did not take for a list. Empty if nothing was detected. */
  readonly refused: readonly RefusedItems[]
  /** True if scripts write the page: it has little text, and nothing that the recipe looks for. */
  readonly isShell: boolean
}

/** Whether a page needs its scripts, and the cost of the check. */
export interface PageShell {
  /** True if the page needs its scripts: it has little text. */
  readonly isShell: boolean
  readonly spent: PageSpent
}

/** A page as a reader has it. */
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

/** Answers questions about pages on the thread that it is called on. */
export interface PageWork {
  answer<K extends PageTask>(task: K, page: Page, visit: Visit): Promise<PageAnswers[K]>
}

/**
 * Makes a recipe ready; `null`: for questions that take none. Rejects where the recipe is not
 * valid.
 */
export type OpenPageWork = (recipe: Json | null, limits?: PageLimits) => Promise<PageWork>

/** A recipe that a {@link PageProcessor} holds ready, and what can be asked about its pages. */
export interface OpenRecipe extends OpenPages {
  /**
   * Processes a page with the recipe. The result equals that of its plan for a prepared page
   * (`preparePage` of `seine/engine`).
   */
  process(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageResult>
  /** The same, with what each part of the recipe found. */
  inspect(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageInspection>
  /** The same after what the recipe leaves open was found out on this page. */
  propose(page: Page, visit: Visit, signal?: AbortSignal): Promise<PageInspection>
  /** The recipe with all that it leaves open found out on this page. */
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
  /** The page to be looked at. */
  view(page: Page, signal?: AbortSignal): Promise<PageView>
  /** Proposals for `page.pointed`. */
  point(page: Page, signal?: AbortSignal): Promise<PageCandidates>
  /** Drops the recipe. Its pages in flight reject. Idempotent. */
  close(): void
}

/** For whom pages are worked on, and what one of them may cost. */
export interface OpenOptions {
  /** Accounts take turns. Absent: all such pages are of one account. */
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
  /** Never throws; a recipe that is not valid rejects where it is asked about. */
  open(recipe: Json, options?: OpenOptions): OpenRecipe
  /** Opens the questions that need no recipe. */
  openPages(options?: OpenOptions): OpenPages
  /**
   * Opens the conversion of rows for an export. Never throws: for an unknown format, the conversion
   * rejects.
   */
  openRows(spec: RowsSpec, options?: Pick<OpenOptions, 'account'>): OpenRows
  /** Closes the processor. Pages in flight reject. Idempotent. */
  close(): Promise<void>
}
