/** The limits of one page. */
export interface PageLimits {
  /** Units of work, of about 25 ns each. */
  readonly steps: number
  /** Bytes of the page's results: its tree, values, rows, formats and links. */
  readonly bytes: number
}

/** The reason why a page was too costly. Results made before that are kept. */
export interface PageOverrun {
  readonly what: keyof PageLimits
  /** The limit. */
  readonly limit: number
  /** The step that was under way: a column, a format, `links`, `page`. */
  readonly where: string
}

/** A part of a page that was left out because of a bound, while the rest was processed. */
export interface PageCut {
  /**
   * The limited unit: `rows`, `values`, `nodes`, `links`; `steps` and `bytes` for a part of the
   * budget.
   */
  readonly what: string
  /** The amount that was processed. */
  readonly limit: number
  /** The step that was under way: a column, a format, `follow`, `page`. */
  readonly where: string
}

/** Cost of a question about a page, taken from the budget of its visit. */
export interface PageSpent extends PageLimits {
  /** The parts that were left out, for the outcome of the visit. Absent: none. */
  readonly cuts?: readonly PageCut[]
}

/** The losses of a page, and their reasons. */
export interface PageLosses {
  /**
   * True if the page used up its budget: rows, values, links and text are those made before.
   * Absent: false.
   */
  readonly overrun?: PageOverrun
  /**
   * The parts that were left out because of bounds, at most 20. Each pair of bound and part is
   * listed once. Absent: none.
   */
  readonly cuts?: readonly PageCut[]
  /**
   * Texts that are ambiguous: they can be read as two numbers or dates, so they give no value. The
   * first one of each column, at most 20. Absent: none.
   */
  readonly unclear?: readonly { readonly where: string; readonly text: string }[]
}

/** The budget for work on a page and for its results. */
export interface WorkBudget {
  /** The limit that was exceeded, or `null`. */
  readonly overrun: PageOverrun | null
  /** Charges steps of work. Throws when the budget is used up. */
  work(steps: number): void
  /** Charges bytes of output. Throws when the budget is used up. */
  make(bytes: number): void
  /** Makes an output, or returns `otherwise` if the budget is used up first. */
  attempt<T>(where: string, make: () => T, otherwise: T): T
  /** The cost so far, for the budget of the next question about the page. */
  handOver(): PageSpent
}
