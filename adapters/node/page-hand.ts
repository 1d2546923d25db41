import type { PageJob } from './page-job.ts'
import type { PageRecipe } from './page-recipe.ts'

/** What works on the pages of a pool: a thread, or, where there are none, this one. */
export interface PageHand {
  /** True once it can be given pages. */
  readonly isReady: boolean
  /** Pages that it has, and that were not taken back. */
  readonly load: number
  /** Whether it has a page of an account whose pages take long. */
  readonly isSlow: boolean
  /** Whether it may have another page: as many as it does in a moment, so that it does not run dry. */
  readonly hasRoom: boolean
  give(job: PageJob): void
  /** The page that it is at, if it has been for longer than so many ms. */
  late(ms: number): PageJob | null
  /** Works with a low priority until the page that it is at is done. */
  standBack(): void
  /** Whether it has a page of this account. */
  serves(account: string): boolean
  /** Takes back the pages that it has not begun, in their order. */
  takeBack(): PageJob[]
  /** Takes back all pages, the one under way too; it can do nothing but end then. */
  abandon(): PageJob[]
  /** Drops a recipe; its pages reject with `reason`. */
  forget(recipe: PageRecipe, reason: Error): void
  /** Ends it, whatever it is at. */
  end(reason: Error): Promise<void>
}
