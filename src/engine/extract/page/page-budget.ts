import type { PageLimits, PageOverrun } from '../../../ports/page-processor.ts'
import { DEFAULT_PAGE_LIMITS } from './page-limits.ts'

const UNITS: Readonly<Record<keyof PageLimits, string>> = { steps: 'steps of work', bytes: 'bytes of results' }

/** What ran over, for people. */
export function overrunText({ what, limit, where }: PageOverrun): string {
  return `The page used up its ${limit.toLocaleString('en')} ${UNITS[what]} at ${where}`
}

/** Thrown where a page has used up its budget. Whoever makes rows catches it and keeps what is there. */
export class PageTooCostly extends Error {
  override readonly name = 'PageTooCostly'
}

/**
 * The one budget of a page. Everything that works on the page, or makes something of it, takes from it: the tree,
 * selectors, paths, patterns, transforms, formats, detection. Once it is used up, every further use throws.
 */
export class PageBudget {
  readonly #limits: PageLimits
  #steps: number
  #bytes: number
  #overrun: PageOverrun | null = null
  /** What is being made at present, for the reason: a column, a format, `links`. */
  where = 'page'

  constructor(limits: PageLimits = DEFAULT_PAGE_LIMITS) {
    this.#limits = limits
    this.#steps = limits.steps
    this.#bytes = limits.bytes
  }

  /** What ran over; `null` as long as nothing did. */
  get overrun(): PageOverrun | null {
    return this.#overrun
  }

  /** Takes steps of work. Take them before the work is done. @throws {PageTooCostly} */
  work(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) this.#end('steps')
  }

  /** Takes bytes of what is made: about one a character, and some for each value. @throws {PageTooCostly} */
  make(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) this.#end('bytes')
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

  /** For `catch`: `otherwise` where the budget has ended. @throws every other error */
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
