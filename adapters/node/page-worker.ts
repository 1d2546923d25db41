import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../../src/ports/clock.ts'
import type { PageJob } from './page-job.ts'
import type { FromThread, ToThread } from './page-messages.ts'
import type { PageRecipe } from './page-recipe.ts'

/** Pages that a thread may hold: it must not run dry while the caller's thread writes a group of outcomes. */
const MAX_PAGES = 16
/** Bytes of such pages after which it gets no more, as they are copies. */
const MAX_BYTES = 4 * 1024 * 1024

/** What a {@link PageWorker} tells its pool. */
export interface PageWorkerOptions {
  readonly clock: Clock
  /** Longest time of one page, in ms, before the thread is ended. */
  readonly maxPageMs: number
  /** It is up, or has answered a page: there may be room for another. */
  readonly onRoom: () => void
  /** It is gone; `jobs` were with it and have no answer. The first of them is what it was at. */
  readonly onEnd: (worker: PageWorker, reason: Error, jobs: readonly PageJob[]) => void
}

/** One thread, seen from outside: what it was given and has not answered, whether it lives, how long it is at one page. */
export class PageWorker {
  readonly #thread: Worker
  readonly #options: PageWorkerOptions
  readonly #recipes = new Set<number>()
  readonly #stop = new AbortController()
  /** By number, in the order in which they are worked on; aborted ones too, as the thread does not know. */
  readonly #jobs = new Map<number, PageJob>()
  #given = 0
  #bytes = 0
  #firstSince = 0
  #isReady = false
  #isWatched = false
  #reason = new Error('A page thread ended')

  constructor(thread: Worker, options: PageWorkerOptions) {
    this.#thread = thread
    this.#options = options
    thread.on('message', (message: FromThread) => this.#hear(message))
    thread.on('error', (error) => (this.#reason = new Error(`A page thread failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })))
    thread.on('exit', () => this.#end())
    thread.unref()
  }

  /** True once it has started, which takes as long as loading the engine. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Pages that it was given and has not answered. */
  get load(): number {
    return this.#jobs.size
  }

  get hasRoom(): boolean {
    return this.#isReady && this.#jobs.size < MAX_PAGES && this.#bytes < MAX_BYTES
  }

  give(job: PageJob): void {
    const { recipe, page, visit } = job
    if (!this.#recipes.has(recipe.number)) {
      this.#recipes.add(recipe.number)
      this.#say({ kind: 'open', recipe: recipe.number, source: recipe.source })
    }
    // A copy, given away: a body may be a part of a larger buffer, and the page is needed again if the thread dies.
    const body = page.body.slice()
    const id = ++this.#given
    this.#say({ kind: 'page', id, recipe: recipe.number, page: { ...page, body }, visit }, [body.buffer])
    this.#bytes += body.byteLength
    if (this.#jobs.set(id, job).size > 1) return
    this.#firstSince = this.#options.clock.now()
    this.#thread.ref()
    if (!this.#isWatched) void this.#watch()
  }

  /** Drops a recipe; its pages reject with `reason`. */
  forget(recipe: PageRecipe, reason: Error): void {
    for (const job of this.#jobs.values()) if (job.recipe === recipe) job.reject(reason)
    if (this.#recipes.delete(recipe.number)) this.#say({ kind: 'close', recipe: recipe.number })
  }

  /** Ends the thread, whatever it is at. */
  async end(reason: Error): Promise<void> {
    this.#reason = reason
    await this.#thread.terminate()
  }

  #say(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#thread.postMessage(message, transfer)
  }

  #hear(message: FromThread): void {
    if (message.kind === 'ready') this.#isReady = true
    else {
      const job = this.#jobs.get(message.id)
      this.#jobs.delete(message.id)
      this.#bytes -= job?.page.body.byteLength ?? 0
      if (message.kind === 'result') job?.resolve(message.result)
      else job?.reject(new Error(message.message))
      this.#firstSince = this.#options.clock.now()
      // Only work under way keeps the process alive.
      if (this.#jobs.size === 0) this.#thread.unref()
    }
    this.#options.onRoom()
  }

  #end(): void {
    this.#stop.abort()
    const jobs = [...this.#jobs.values()]
    this.#jobs.clear()
    this.#options.onEnd(this, this.#reason, jobs)
  }

  /** One sleeper at a time, and none for a page: it looks again when the present page would be over its time. */
  async #watch(): Promise<void> {
    const { clock, maxPageMs } = this.#options
    const left = (): number => this.#firstSince + maxPageMs - clock.now()
    this.#isWatched = true
    while (this.#jobs.size > 0) {
      await clock.sleep(Math.max(0, left()), this.#stop.signal).catch(() => {})
      // Where it was the caller's thread that was busy, the answer is here and has only not been heard yet.
      await turn()
      if (this.#jobs.size > 0 && left() <= 0) return void this.end(new Error(`A page took longer than ${maxPageMs} ms`))
    }
    this.#isWatched = false
  }
}
