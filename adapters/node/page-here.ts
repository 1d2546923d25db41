import { setImmediate as turn } from 'node:timers/promises'
import type { OpenPageWork, PageWork } from '../../src/ports/page-processor.ts'
import type { PageHand } from './page-hand.ts'
import { named } from './page-job.ts'
import type { PageJob } from './page-job.ts'
import type { PageRecipe } from './page-recipe.ts'

/** Works on pages on the caller's thread, one at a time, with a turn of the event loop before each. */
export class PageHere implements PageHand {
  readonly isReady = true
  readonly #open: OpenPageWork
  readonly #onDone: (job: PageJob, ms: number) => void
  readonly #works = new Map<PageRecipe, Promise<PageWork>>()
  #job: PageJob | null = null

  constructor(open: OpenPageWork, onDone: (job: PageJob, ms: number) => void) {
    this.#open = open
    this.#onDone = onDone
  }

  get load(): number {
    return this.#job === null ? 0 : 1
  }

  get isSlow(): boolean {
    // There is no other one that a page could go to.
    return false
  }

  get hasRoom(): boolean {
    return this.#job === null
  }

  give(job: PageJob): void {
    this.#job = job
    void this.#work(job)
  }

  late(): PageJob | null {
    return null
  }

  serves(account: string): boolean {
    return this.#job?.recipe.account === account
  }

  takeBack(): PageJob[] {
    return []
  }

  abandon(): PageJob[] {
    return []
  }

  forget(recipe: PageRecipe, reason: Error): void {
    this.#works.delete(recipe)
    if (this.#job?.recipe === recipe) this.#job.reject(reason)
  }

  async end(reason: Error): Promise<void> {
    this.#job?.reject(reason)
  }

  async #work(job: PageJob): Promise<void> {
    const { recipe, task, page, visit } = job
    await turn()
    const began = performance.now()
    try {
      const opening = this.#works.get(recipe) ?? this.#open(recipe.source, recipe.limits)
      if (recipe.isOpen) this.#works.set(recipe, opening)
      if (!job.settled) job.resolve(named(task, await (await opening).answer(task, page, visit)))
    } catch (error) {
      job.reject(error)
    }
    this.#job = null
    this.#onDone(job, performance.now() - began)
  }
}
