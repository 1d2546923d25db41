import { FairQueue } from '../kernel/fair/fair-queue.ts'
import type { Json } from '../kernel/json.ts'
import { nextTurn } from '../kernel/pace.ts'
import { pageQuestions, START_VISIT } from '../kernel/page-questions.ts'
import type { AnswerRows, OpenRows, OpenRowWork, RowsSpec } from '../ports/row-work.ts'
import type {
  OpenOptions,
  OpenPageWork,
  OpenPages,
  OpenRecipe,
  Page,
  PageAnswers,
  PageProcessor,
  PageTask,
  PageWork,
  Visit,
} from '../ports/page-processor.ts'

/**
 * A {@link PageProcessor} for runtimes without threads: it processes pages in the calling thread,
 * one after the other, with a turn of the event loop before each, and more within a long one. Only
 * the page's budget limits its cost.
 */
export function createDefaultPageProcessor(
  open: OpenPageWork,
  openRows: OpenRowWork,
  pause: () => Promise<void> = nextTurn,
): PageProcessor {
  return new InlinePages(open, openRows, pause)
}

class InlinePages implements PageProcessor {
  readonly #open: OpenPageWork
  readonly #openRowWork: OpenRowWork
  readonly #pause: () => Promise<void>
  readonly #queue = new FairQueue<() => Promise<void>>()
  #isBusy = false
  #isClosed = false

  constructor(open: OpenPageWork, openRows: OpenRowWork, pause: () => Promise<void>) {
    this.#open = open
    this.#openRowWork = openRows
    this.#pause = pause
  }

  open(recipe: Json, options?: OpenOptions): OpenRecipe {
    return this.#openWith(recipe, options)
  }

  openPages(options?: OpenOptions): OpenPages {
    return this.#openWith(null, options)
  }

  openRows(spec: RowsSpec, { account = '' }: Pick<OpenOptions, 'account'> = {}): OpenRows {
    let isOpen = true
    let opening: Promise<AnswerRows> | null = null
    return {
      ask: (question, signal) =>
        this.#wait(account, signal, async () => {
          signal?.throwIfAborted()
          if (!isOpen || this.#isClosed) throw new Error('The page processor is closed')
          return (await (opening ??= this.#openRowWork(spec)))(question)
        }),
      close: () => void (isOpen = false),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // Each of them notices this by itself.
    await Promise.all(this.#queue.clear().map((work) => work()))
  }

  #openWith(recipe: Json | null, { account = '', limits }: OpenOptions = {}): OpenRecipe {
    let isOpen = true
    let opening: Promise<PageWork> | null = null
    const goOn = (signal: AbortSignal | undefined): void => {
      signal?.throwIfAborted()
      if (!isOpen || this.#isClosed) throw new Error('The page processor is closed')
    }
    const ask = <K extends PageTask>(
      task: K,
      page: Page,
      visit: Visit,
      signal?: AbortSignal,
    ): Promise<PageAnswers[K]> =>
      this.#wait(account, signal, async () => {
        goOn(signal)
        const work = await (opening ??= this.#open(recipe, limits))
        return work.answer(task, page, visit, async () => {
          await this.#pause()
          goOn(signal)
        })
      })
    return {
      ...pageQuestions<Page, Visit, PageAnswers>(ask, START_VISIT),
      close: () => void (isOpen = false),
    }
  }

  /** Does work when it is its account's turn. */
  #wait<T>(account: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(signal?.reason)
      signal?.addEventListener('abort', leave, { once: true })
      const run = async (): Promise<void> => {
        // On some runtimes the clock stands still until the code awaits, so all pages count the
        // same time.
        this.#queue.charge(account, 1)
        await work().then(resolve, reject)
        signal?.removeEventListener('abort', leave)
      }
      this.#queue.push(account, run)
      if (!this.#isBusy) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    while (this.#queue.size > 0) {
      await this.#pause()
      await this.#queue.take()?.()
    }
    this.#isBusy = false
  }
}
