import type { PageFailureKind } from '../../src/kernel/failures.ts'
import type { Page, PageTask, Visit } from '../../src/ports/page-processor.ts'
import type { RowsQuestion } from '../../src/ports/row-work.ts'
import type { NamedAnswer } from './page-job.ts'
import type { RecipeSource } from './page-recipe.ts'
import type { ValuePart } from './value-parts.ts'

/**
 * Messages to a page thread; `id` and `recipe` are numbers that the sender chose. Pages are
 * answered one by one, in order. `more`: the next part of an answer may be sent.
 */
export type ToThread =
  | { readonly kind: 'open'; readonly recipe: number; readonly source: RecipeSource }
  | {
      readonly kind: 'page'
      readonly id: number
      readonly recipe: number
      readonly task: PageTask
      readonly page: Page
      readonly visit: Visit
    }
  | {
      readonly kind: 'rows'
      readonly id: number
      readonly recipe: number
      readonly question: RowsQuestion
    }
  | { readonly kind: 'close'; readonly recipe: number }
  | { readonly kind: 'more' }

/**
 * Messages of a page thread: `ready` once, with the system's number of the thread, then an answer
 * for each page. A large answer comes in parts, with `whole` after the last. `costly`: the limit
 * that the page exceeded. `skipped`: the page was taken back before it started. `ms`: its time.
 */
export type FromThread =
  | { readonly kind: 'ready'; readonly thread: number | null }
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly answer: NamedAnswer
      readonly ms: number
    }
  | { readonly kind: 'part'; readonly id: number; readonly part: ValuePart }
  | { readonly kind: 'whole'; readonly id: number; readonly ms: number }
  | {
      readonly kind: 'error'
      readonly id: number
      readonly message: string
      readonly costly: PageFailureKind | null
      readonly ms: number
    }
  | { readonly kind: 'skipped'; readonly id: number }

/**
 * Maximum number of pages of a thread that are started or taken back. The claim of a page is at its
 * number modulo this.
 */
export const CLAIMS = 64

/** States of a claim. The side that first changes it from `WAITS` gets the page. */
export const WAITS = 0
export const BEGUN = 1
export const TAKEN_BACK = 2
