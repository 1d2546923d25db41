import type { Page, PageAnswers, PageTask, Visit } from '../../src/ports/page-processor.ts'
import type { RowsAnswers, RowsQuestion } from '../../src/ports/row-work.ts'
import type { PageRecipe } from './page-recipe.ts'

/** Number of bytes of a large body that are copied in one turn of the event loop. */
const PART_BYTES = 512 * 1_024

/** The answers to all questions. */
interface JobAnswers extends PageAnswers, RowsAnswers {}

/** An answer, under the name of its question. */
export type NamedAnswer = { readonly [K in keyof JobAnswers]?: JobAnswers[K] }

/** The question of a job. */
export type JobQuestion =
  | { readonly kind: 'page'; readonly task: PageTask; readonly page: Page; readonly visit: Visit }
  | { readonly kind: 'rows'; readonly question: RowsQuestion }

/**
 * One question about a page or about rows, on its way through the pool. It settles once, and later
 * answers are ignored.
 */
export class PageJob {
  readonly recipe: PageRecipe
  readonly asked: JobQuestion
  readonly answer: Promise<NamedAnswer>
  /** Estimated time of the job in ms. Its account was charged for it. */
  estimate = 0
  /** True if its account was slow when the job was given to a thread. */
  isSlow = false
  /** True once the job has taken so long that no other page should wait for it. */
  isLong = false
  #settled = false
  #copy: Uint8Array<ArrayBuffer> | null = null
  readonly #signal: AbortSignal | undefined
  readonly #resolve: (answer: NamedAnswer) => void
  readonly #reject: (reason: unknown) => void

  constructor(recipe: PageRecipe, question: JobQuestion, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<NamedAnswer>()
    this.recipe = recipe
    this.asked = question
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
  }

  /** Number of bytes that are sent with it. */
  get bytes(): number {
    return this.#body?.byteLength ?? 0
  }

  /** True if the copy for a thread is ready. */
  get isCopied(): boolean {
    return this.#copy !== null
  }

  /**
   * The question for a thread, with a copy of its body, and the memory of this copy. The body may
   * be a part of a larger buffer, and is needed again if the thread dies.
   */
  forThread(): { readonly question: JobQuestion; readonly transfer: ArrayBuffer[] } {
    const { asked } = this
    const body = this.#copy ?? this.#body?.slice()
    this.#copy = null
    if (body === undefined) return { question: asked, transfer: [] }
    const transfer = [body.buffer]
    if (asked.kind === 'page')
      return { question: { ...asked, page: { ...asked.page, body } }, transfer }
    const { question } = asked
    if (!('block' in question)) return { question: asked, transfer: [] }
    const block = { ...question.block, body }
    return { question: { ...asked, question: { ...question, block } }, transfer }
  }

  /**
   * Makes the copy for a thread in parts. `next` resolves in a later turn of the event loop. Ends
   * early if the job is settled.
   */
  async copyInParts(next: () => Promise<unknown>): Promise<void> {
    const body = this.#body
    if (body === null) return
    const copy = new Uint8Array(body.byteLength)
    for (let index = 0; index < body.byteLength; index += PART_BYTES) {
      copy.set(body.subarray(index, index + PART_BYTES), index)
      await next()
      if (this.#settled) return
    }
    this.#copy = copy
  }

  get #body(): Uint8Array | null {
    if (this.asked.kind === 'page') return this.asked.page.body
    return 'block' in this.asked.question ? this.asked.question.block.body : null
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

/**
 * A question about a page. A caller's visit may have more members, but only those of the port are
 * sent to another thread.
 */
export function aboutPage(
  task: PageTask,
  page: Page,
  { label, depth, hop, foundOn, carried }: Visit,
): JobQuestion {
  return {
    kind: 'page',
    task,
    page,
    visit: {
      label,
      depth,
      hop,
      ...(foundOn !== undefined && { foundOn }),
      ...(carried && { carried }),
    },
  }
}
