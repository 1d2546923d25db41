import { setImmediate as turn } from 'node:timers/promises'
import type { OpenPageWork, PageWork } from '../../src/ports/page-processor.ts'
import type { AnswerRows, OpenRowWork } from '../../src/ports/row-work.ts'
import type { PageRunner } from './page-runners.ts'
import { named } from './page-job.ts'
import type { NamedAnswer, PageJob } from './page-job.ts'
import type { PageRecipe } from './page-recipe.ts'

/** Options of processing on the calling thread, when threads cannot be started. */
export interface HereOptions {
  readonly openHere: OpenPageWork
  readonly openRowsHere: OpenRowWork
}

type Answer = (job: PageJob) => Promise<NamedAnswer>

/** Works on pages on the caller's thread, one at a time, with a turn of the event loop before each. */
export class PageHere implements PageRunner {
  readonly isReady = true
  readonly #open: HereOptions
  readonly #onDone: (job: PageJob, ms: number) => void
  readonly #works = new Map<PageRecipe, Promise<Answer>>()
  #job: PageJob | null = null

  constructor(open: HereOptions, onDone: (job: PageJob, ms: number) => void) {
    this.#open = open
    this.#onDone = onDone
  }

  get load(): number {
    return this.#job === null ? 0 : 1
  }

  get isSlow(): boolean {
    // There is no other worker for the page.
    return false
  }

  get isLong(): boolean {
    return false
  }

  get hasRoom(): boolean {
    return this.#job === null
  }

  give(job: PageJob): void {
    this.#job = job
    void this.#work(job)
  }

  get isAnswering(): boolean {
    return false
  }

  late(): PageJob | null {
    return null
  }

  standBack(): void {}

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
    const { recipe } = job
    await turn()
    const began = performance.now()
    try {
      const opening = this.#works.get(recipe) ?? this.#openWork(recipe)
      if (recipe.isOpen) this.#works.set(recipe, opening)
      if (!job.settled) job.resolve(await (await opening)(job))
    } catch (error) {
      job.reject(error)
    }
    this.#job = null
    this.#onDone(job, performance.now() - began)
  }

  async #openWork({ source }: PageRecipe): Promise<Answer> {
    if (source.kind === 'pages')
      return answerPages(await this.#open.openHere(source.recipe, source.limits))
    return answerRows(await this.#open.openRowsHere(source.spec))
  }
}

const answerPages =
  (work: PageWork): Answer =>
  async ({ asked: question }) => {
    if (question.kind !== 'page') throw new TypeError('This is not a question about a page')
    return named(question.task, await work.answer(question.task, question.page, question.visit))
  }

const answerRows =
  (answer: AnswerRows): Answer =>
  async ({ asked: question }) => {
    if (question.kind !== 'rows') throw new TypeError('This is not a question about rows')
    return answer(question.question)
  }
