import type {
  PageCut,
  PageLimits,
  PageLosses,
  PageOverrun,
  PageSpent,
  WorkBudget,
} from '../../../ports/page-limits.ts'
import type { Parts } from './in-turns.ts'
import { DEFAULT_PAGE_LIMITS } from './page-limits.ts'

const UNITS: Readonly<Record<keyof PageLimits, string>> = {
  steps: 'steps of work',
  bytes: 'bytes of results',
}

/** Returns a message for people about the limit that was exceeded. */
export function overrunText({ what, limit, where }: PageOverrun): string {
  return `The page used up its ${limit.toLocaleString('en')} ${UNITS[what]} at ${where}`
}

/** Returns a message for people about what a limit left out. */
export function cutText({ what, limit, where }: PageCut): string {
  return `more than ${limit.toLocaleString('en')} ${what} at ${where}`
}

/**
 * Thrown when a page has used up its budget. The code that makes rows catches it and keeps what is
 * done.
 */
export class PageTooCostly extends Error {
  override readonly name = 'PageTooCostly'
}

const NOTHING: PageSpent = { steps: 0, bytes: 0 }

/**
 * The share of a page's budget for the reader of a document. The rest is for the rows and texts
 * that are made from the document.
 */
const DOCUMENT_SHARE = 0.5

/** Maximum number of cuts reported per page. */
const MOST_CUTS = 20
/** Maximum characters of a text that is reported. */
const MOST_QUOTED = 100

/**
 * The single budget of a page. All processing and all output takes from this budget: the tree,
 * selectors, paths, patterns, transforms, formats, detection. Once it is used up, every further use
 * throws.
 *
 * It also records what limits have left out of the page ({@link cut}). A cut does not end the work.
 *
 * One visit may answer several questions, each on another thread. The amount spent on one question
 * travels with the page to the next, whose budget is the rest.
 *
 * @example
 *   const budget = new PageBudget({ steps: 1_000_000, bytes: 10_000_000 })
 *   const body = new TextEncoder().encode('<h1>Pens</h1>')
 *   detect({ url: 'https://example.com/', contentType: 'text/html', body }, budget)
 */
export class PageBudget implements WorkBudget {
  readonly #limits: PageLimits
  readonly #cuts = new Map<string, PageCut>()
  readonly #unclear = new Map<string, string>()
  #steps: number
  #bytes: number
  #overrun: PageOverrun | null = null
  /** Steps that a share of the budget leaves for the rest of the page. */
  #stepsAside = 0
  /** Steps that are paid for work that is still to be done. */
  #stepsAhead = 0
  /** Steps of work that nobody pays for. */
  #stepsUnpaid = 0
  /** The current output, for error messages: a column, a format, `links`. */
  where = 'page'

  /** `spent`: the amount that earlier questions of the same visit took. */
  constructor(
    limits: PageLimits = DEFAULT_PAGE_LIMITS,
    { steps, bytes, cuts = [] }: PageSpent = NOTHING,
  ) {
    this.#limits = limits
    this.#steps = limits.steps - steps
    this.#bytes = limits.bytes - bytes
    for (const { what, limit, where } of cuts) this.cut(what, limit, where)
  }

  /**
   * The budget of a document's reader: a share of the page's.
   *
   * @param part the part of that share, from 0 to 1
   * @param spent what the reader has taken of it already
   */
  static forDocument(
    { steps, bytes }: PageLimits = DEFAULT_PAGE_LIMITS,
    part = 1,
    spent: PageSpent = NOTHING,
  ): PageBudget {
    const share = DOCUMENT_SHARE * part
    const budget = new PageBudget(
      { steps: Math.floor(steps * share), bytes: Math.floor(bytes * share) },
      spent,
    )
    budget.where = 'document'
    return budget
  }

  /** The amount taken until now, including earlier questions of the visit. */
  get spent(): PageLimits {
    const { steps, bytes } = this.#limits
    return { steps: steps - Math.max(0, this.#steps), bytes: bytes - Math.max(0, this.#bytes) }
  }

  /**
   * The steps of the work that is done, by which turns are measured: those of {@link spent} whose
   * work is not still to be done, and those that nobody pays for.
   */
  get stepsDone(): number {
    const left = this.#stepsAside + this.#stepsAhead + Math.max(0, this.#steps)
    return this.#limits.steps + this.#stepsUnpaid - left
  }

  /** The limit that was exceeded, or `null`. */
  get overrun(): PageOverrun | null {
    return this.#overrun
  }

  /** Everything the page has lost until now. */
  get losses(): PageLosses {
    return {
      ...(this.#overrun !== null && { overrun: this.#overrun }),
      ...(this.#cuts.size > 0 && { cuts: [...this.#cuts.values()] }),
      ...(this.#unclear.size > 0 && {
        unclear: Array.from(this.#unclear, ([where, text]) => ({ where, text })),
      }),
    }
  }

  /**
   * Takes steps of work. Call it before doing the work.
   *
   * @throws {PageTooCostly}
   */
  work(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) this.#end('steps')
  }

  /**
   * Takes steps of work that follows in parts. Each part tells by {@link did} which of them it was,
   * so that a turn ends in time.
   *
   * @throws {PageTooCostly}
   */
  workAhead(steps: number): void {
    this.work(steps)
    this.#stepsAhead += steps
  }

  /** Tells that work is done that was paid before. */
  did(steps = Infinity): void {
    this.#stepsAhead -= Math.min(steps, this.#stepsAhead)
  }

  /** Counts work that nobody pays for, so that a turn ends in time. */
  unpaid(steps: number): void {
    this.#stepsUnpaid += steps
  }

  /**
   * Takes bytes of output: about one per character, and some for each value.
   *
   * @throws {PageTooCostly}
   */
  make(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) this.#end('bytes')
  }

  /**
   * The costs of a share of the page's budget, for the budget of the page itself. There, a share
   * that was used up is reported as a cut.
   */
  handOver(): PageSpent {
    if (this.#overrun !== null) {
      const { what, limit, where } = this.#overrun
      this.cut(UNITS[what], limit, where)
    }
    return { ...this.spent, ...(this.#cuts.size > 0 && { cuts: [...this.#cuts.values()] }) }
  }

  /** Records that a limit left something out, so that the page's outcome reports it. */
  cut(what: string, limit: number, where: string = this.where): void {
    const key = `${what} ${where}`
    if (this.#cuts.size < MOST_CUTS && !this.#cuts.has(key))
      this.#cuts.set(key, { what, limit, where })
  }

  /**
   * Records an ambiguous text, which gives no value because it can be read in two ways, so that the
   * page's outcome reports it. The first one of each column is kept.
   */
  note(text: string): void {
    if (this.#unclear.size < MOST_CUTS && !this.#unclear.has(this.where))
      this.#unclear.set(this.where, text.trim().slice(0, MOST_QUOTED))
  }

  /** Forgets the texts of {@link note}, because the page is read again. */
  forgetNotes(): void {
    this.#unclear.clear()
  }

  /** Makes an output, or returns `otherwise` if the budget ends first. */
  attempt<T>(where: string, make: () => T, otherwise: T): T {
    this.where = where
    try {
      return make()
    } catch (error) {
      return this.settle(error, otherwise)
    }
  }

  /**
   * Like {@link attempt} with a share of the rest, from 0 to 1. If the share ends, a cut is
   * recorded, and the remaining budget stays available for the rest of the page.
   */
  attemptWithin<T>(share: number, where: string, make: () => T, otherwise: T): T {
    if (this.overrun !== null) return otherwise
    const rejoin = this.#setAside(share, where)
    try {
      return this.attempt(where, make, otherwise)
    } finally {
      rejoin()
    }
  }

  /** Like {@link attempt} in parts. */
  *attemptParts<T>(where: string, parts: Parts<T>, otherwise: T): Parts<T> {
    this.where = where
    try {
      return yield* parts
    } catch (error) {
      return this.settle(error, otherwise)
    }
  }

  /** Like {@link attemptWithin} in parts. */
  *attemptPartsWithin<T>(share: number, where: string, parts: Parts<T>, otherwise: T): Parts<T> {
    if (this.overrun !== null) return otherwise
    const rejoin = this.#setAside(share, where)
    try {
      return yield* this.attemptParts(where, parts, otherwise)
    } finally {
      rejoin()
    }
  }

  /** Leaves only a share of the budget. The result reports the end of the share, and adds the rest. */
  #setAside(share: number, where: string): () => void {
    const part = { steps: Math.floor(this.#steps * share), bytes: Math.floor(this.#bytes * share) }
    // A share of an infinite budget is infinite, so nothing is set aside.
    const aside = { steps: this.#steps - part.steps || 0, bytes: this.#bytes - part.bytes || 0 }
    this.#steps = part.steps
    this.#bytes = part.bytes
    this.#stepsAside += aside.steps
    return () => {
      const ended = this.losses.overrun
      if (ended !== undefined) this.cut(UNITS[ended.what], part[ended.what], where)
      this.#overrun = null
      this.#steps = Math.max(0, this.#steps) + aside.steps
      this.#bytes = Math.max(0, this.#bytes) + aside.bytes
      this.#stepsAside -= aside.steps
    }
  }

  /**
   * For `catch`: returns `otherwise` if the budget has ended.
   *
   * @throws every other error
   */
  settle<T>(error: unknown, otherwise: T): T {
    if (error instanceof PageTooCostly) return otherwise
    throw error
  }

  #end(what: 'steps' | 'bytes'): never {
    // After the first overrun, every further charge of steps or bytes fails.
    this.#steps = -1
    this.#bytes = -1
    this.#overrun ??= { what, limit: this.#limits[what], where: this.where }
    throw new PageTooCostly(overrunText(this.#overrun))
  }
}

/**
 * Maximum length of a search text for a search in linear time. Engines prepare only this part of a
 * search text. For longer ones V8 compares single characters, which can take the product of both
 * lengths.
 */
export const MOST_SOUGHT = 250

/**
 * Steps to search for one text in another, however many characters they share: up to some 7 ns per
 * searched character.
 */
export function searchSteps(text: string, sought = ''): number {
  return Math.ceil((text.length * (sought.length <= MOST_SOUGHT ? 1 : sought.length)) / 4)
}
