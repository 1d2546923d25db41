import type {
  PageCut,
  PageLimits,
  PageLosses,
  PageOverrun,
  PageSpent,
} from '../../../ports/page-processor.ts'
import { DEFAULT_PAGE_LIMITS } from './page-limits.ts'

const UNITS: Readonly<Record<keyof PageLimits, string>> = {
  steps: 'steps of work',
  bytes: 'bytes of results',
}

/** What ran over, for people. */
export function overrunText({ what, limit, where }: PageOverrun): string {
  return `The page used up its ${limit.toLocaleString('en')} ${UNITS[what]} at ${where}`
}

/** What a bound has left out, for people. */
export function cutText({ what, limit, where }: PageCut): string {
  return `more than ${limit.toLocaleString('en')} ${what} at ${where}`
}

/**
 * Thrown where a page has used up its budget. Whoever makes rows catches it and keeps what is
 * there.
 */
export class PageTooCostly extends Error {
  override readonly name = 'PageTooCostly'
}

const NOTHING: PageSpent = { steps: 0, bytes: 0 }

/** Bounds that are told of one page. */
const MOST_CUTS = 20

/**
 * The one budget of a page. Everything that works on the page, or makes something of it, takes from
 * it: the tree, selectors, paths, patterns, transforms, formats, detection. Once it is used up,
 * every further use throws.
 *
 * It also keeps what bounds have left out of the page ({@link cut}), which ends nothing.
 *
 * Several questions may be asked in one visit, each on another thread. What one of them has spent
 * goes along with the page to the next one, whose budget is what is left.
 */
export class PageBudget {
  readonly #limits: PageLimits
  readonly #cuts = new Map<string, PageCut>()
  #steps: number
  #bytes: number
  #overrun: PageOverrun | null = null
  /** What is being made at present, for the reason: a column, a format, `links`. */
  where = 'page'

  /** `spent`: what earlier questions of the same visit have taken. */
  constructor(
    limits: PageLimits = DEFAULT_PAGE_LIMITS,
    { steps, bytes, cuts = [] }: PageSpent = NOTHING,
  ) {
    this.#limits = limits
    this.#steps = limits.steps - steps
    this.#bytes = limits.bytes - bytes
    for (const { what, limit, where } of cuts) this.cut(what, limit, where)
  }

  /** What was taken until now, by earlier questions of the visit too. */
  get spent(): PageLimits {
    const { steps, bytes } = this.#limits
    return { steps: steps - Math.max(0, this.#steps), bytes: bytes - Math.max(0, this.#bytes) }
  }

  /** What ran over; `null` as long as nothing did. */
  get overrun(): PageOverrun | null {
    return this.#overrun
  }

  /** What the page has lost until now. */
  get losses(): PageLosses {
    return {
      ...(this.#overrun !== null && { overrun: this.#overrun }),
      ...(this.#cuts.size > 0 && { cuts: [...this.#cuts.values()] }),
    }
  }

  /**
   * Takes steps of work. Take them before the work is done.
   *
   * @throws {PageTooCostly}
   */
  work(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) this.#end('steps')
  }

  /**
   * Takes bytes of what is made: about one a character, and some for each value.
   *
   * @throws {PageTooCostly}
   */
  make(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) this.#end('bytes')
  }

  /** Notes that there was more than a bound lets through, so that the page's outcome says so. */
  cut(what: string, limit: number, where: string = this.where): void {
    const key = `${what} ${where}`
    if (this.#cuts.size < MOST_CUTS && !this.#cuts.has(key))
      this.#cuts.set(key, { what, limit, where })
  }

  /** Makes something of the page, or gives `otherwise` where the budget ends before it is made. */
  attempt<T>(where: string, make: () => T, otherwise: T): T {
    this.where = where
    try {
      return make()
    } catch (error) {
      return this.settle(error, otherwise)
    }
  }

  /**
   * The same with a share of what is left, from 0 to 1. Where that ends, it is noted as a cut, and
   * the rest of the budget is there for the rest of the page.
   */
  attemptWithin<T>(share: number, where: string, make: () => T, otherwise: T): T {
    if (this.overrun !== null) return otherwise
    const part = { steps: Math.floor(this.#steps * share), bytes: Math.floor(this.#bytes * share) }
    // A budget without an end has an endless part, and nothing beside it.
    const aside = { steps: this.#steps - part.steps || 0, bytes: this.#bytes - part.bytes || 0 }
    this.#steps = part.steps
    this.#bytes = part.bytes
    const made = this.attempt(where, make, otherwise)
    const ended = this.losses.overrun
    if (ended !== undefined) this.cut(UNITS[ended.what], part[ended.what], where)
    this.#overrun = null
    this.#steps = Math.max(0, this.#steps) + aside.steps
    this.#bytes = Math.max(0, this.#bytes) + aside.bytes
    return made
  }

  /**
   * For `catch`: `otherwise` where the budget has ended.
   *
   * @throws every other error
   */
  settle<T>(error: unknown, otherwise: T): T {
    if (error instanceof PageTooCostly) return otherwise
    throw error
  }

  #end(what: 'steps' | 'bytes'): never {
    // What follows the first overrun fails too, whichever of the two it takes.
    this.#steps = -1
    this.#bytes = -1
    this.#overrun ??= { what, limit: this.#limits[what], where: this.where }
    throw new PageTooCostly(overrunText(this.#overrun))
  }
}
