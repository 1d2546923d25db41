import type { Page, PageAnswers, PageTask, Visit } from '../../src/ports/page-processor.ts'
import type { PageRecipe } from './page-recipe.ts'

/** An answer, under the name of its question. */
export type NamedAnswer = { readonly [K in PageTask]?: PageAnswers[K] }

/** One question about a page on its way through the pool. Settles once; later answers are ignored. */
export class PageJob {
  readonly recipe: PageRecipe
  readonly task: PageTask
  readonly page: Page
  readonly visit: Visit
  readonly answer: Promise<NamedAnswer>
  /** How long it is thought to take, in ms, as its account was charged. */
  estimate = 0
  /** Whether pages of its account took long when it was given to a thread. */
  isSlow = false
  #settled = false
  readonly #signal: AbortSignal | undefined
  readonly #resolve: (answer: NamedAnswer) => void
  readonly #reject: (reason: unknown) => void

  constructor(recipe: PageRecipe, task: PageTask, page: Page, visit: Visit, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<NamedAnswer>()
    this.recipe = recipe
    this.task = task
    this.page = page
    const { label, depth, hop, foundOn } = visit
    // A caller's visit may be a larger record; only what the port names goes to another thread.
    this.visit = { label, depth, hop, ...(foundOn !== undefined && { foundOn }) }
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
  }

  get settled(): boolean {
    return this.#settled
  }

  resolve(answer: NamedAnswer): void {
    if (this.#settle()) this.#resolve(answer)
  }

  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason)
  }

  readonly #abort = (): void => this.reject(this.#signal?.reason)

  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#signal?.removeEventListener('abort', this.#abort)
    return true
  }
}

/** An answer under its name. */
export function named<K extends PageTask>(task: K, answer: PageAnswers[K]): NamedAnswer {
  const all: { -readonly [T in PageTask]?: PageAnswers[T] } = {}
  all[task] = answer
  return all
}
