import type { Page, PageResult, Visit } from '../../src/ports/page-processor.ts'
import type { PageRecipe } from './page-recipe.ts'

/** One page on its way through the pool. Settles once; later answers are ignored. */
export class PageJob {
  readonly recipe: PageRecipe
  readonly page: Page
  readonly visit: Visit
  readonly result: Promise<PageResult>
  #settled = false
  readonly #signal: AbortSignal | undefined
  readonly #resolve: (result: PageResult) => void
  readonly #reject: (reason: unknown) => void

  constructor(recipe: PageRecipe, page: Page, visit: Visit, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<PageResult>()
    this.recipe = recipe
    this.page = page
    // A caller's visit may be a larger record; only what the port names goes to another thread.
    this.visit = { label: visit.label, depth: visit.depth, hop: visit.hop, ...(visit.foundOn !== undefined && { foundOn: visit.foundOn }) }
    this.result = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
  }

  get settled(): boolean {
    return this.#settled
  }

  resolve(result: PageResult): void {
    if (this.#settle()) this.#resolve(result)
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
