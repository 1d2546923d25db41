import type { Worker } from 'node:worker_threads'
import type { Json } from '../../src/kernel/json.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { OpenRecipe, Page, PageProcessor, PageResult, Visit } from '../../src/ports/page-processor.ts'
import { PageJob } from './page-job.ts'
import { PageRecipe } from './page-recipe.ts'
import { PageWorker } from './page-worker.ts'

/** What a {@link PagePool} is made of. */
export interface PagePoolOptions {
  /** Most threads. */
  readonly threads: number
  /** Pages below so many bytes cost less than sending them; they are processed here. */
  readonly minBytes: number
  /** Pages before threads are started: fewer are not worth it. */
  readonly startAfter: number
  readonly maxPageMs: number
  readonly clock: Clock
  readonly spawn: () => Worker
  /** Told once, if threads cannot be started here; pages are then processed on the caller's thread. */
  readonly onUnavailable: (reason: Error) => void
}

/**
 * Threads behind one queue, one more whenever those that run leave pages waiting. Each holds a few pages, so that it never
 * waits for the next one; the rest wait here, where aborting them is free and the death of a thread does not touch them.
 */
export class PagePool implements PageProcessor {
  readonly #options: PagePoolOptions
  readonly #workers = new Set<PageWorker>()
  #queue: PageJob[] = []
  #recipes = 0
  #coldPages = 0
  /** Most threads to have; fewer where some could not be started. */
  #wanted: number
  /** `cold`: no thread has come up yet, and pages are processed here meanwhile. */
  #state: 'cold' | 'warm' | 'unavailable' | 'closed' = 'cold'
  #closing: Promise<void> | null = null

  constructor(options: PagePoolOptions) {
    this.#options = options
    this.#wanted = options.threads
  }

  open(source: Json): OpenRecipe {
    const recipe = new PageRecipe(++this.#recipes, source)
    return {
      process: (page, visit, signal) => this.#process(recipe, page, visit, signal),
      close: () => this.#closeRecipe(recipe),
    }
  }

  close(): Promise<void> {
    this.#state = 'closed'
    return (this.#closing ??= this.#shutDown())
  }

  async #process(recipe: PageRecipe, page: Page, visit: Visit, signal: AbortSignal | undefined): Promise<PageResult> {
    signal?.throwIfAborted()
    if (this.#state === 'closed' || !recipe.isOpen) throw closed()
    if (this.#state === 'cold' && ++this.#coldPages > this.#options.startAfter) this.#grow()
    if (this.#state !== 'warm' || page.body.byteLength < this.#options.minBytes) return recipe.process(page, visit)
    const job = new PageJob(recipe, page, visit, signal)
    this.#queue.push(job)
    this.#dispatch()
    if (this.#queue.length > 0) this.#grow()
    return job.result
  }

  #dispatch(): void {
    for (;;) {
      let chosen: PageWorker | null = null
      for (const worker of this.#workers) if (worker.hasRoom && worker.load < (chosen?.load ?? Infinity)) chosen = worker
      if (!chosen) return
      const job = this.#next()
      if (!job) return
      chosen.give(job)
    }
  }

  #next(): PageJob | undefined {
    let job = this.#queue.shift()
    while (job?.settled) job = this.#queue.shift()
    return job
  }

  /** Adds a thread, unless there are enough or one is on its way up. */
  #grow(): void {
    if (this.#workers.size >= this.#wanted) return
    for (const worker of this.#workers) if (!worker.isReady) return
    const { clock, maxPageMs, spawn } = this.#options
    const onRoom = (): void => this.#onRoom()
    const onEnd = (worker: PageWorker, reason: Error, jobs: readonly PageJob[]): void => this.#bury(worker, reason, jobs)
    try {
      this.#workers.add(new PageWorker(spawn(), { clock, maxPageMs, onRoom, onEnd }))
    } catch (error) {
      this.#limit(this.#workers.size, error instanceof Error ? error : new Error(String(error)))
    }
  }

  #onRoom(): void {
    if (this.#state === 'cold') this.#state = 'warm'
    this.#dispatch()
  }

  /** The page that a thread died of fails; the others that were with it go to another one. */
  #bury(worker: PageWorker, reason: Error, [first, ...others]: readonly PageJob[]): void {
    this.#workers.delete(worker)
    first?.reject(reason)
    if (this.#state === 'closed') return others.forEach((job) => job.reject(closed()))
    this.#queue.unshift(...others)
    if (!worker.isReady) this.#limit(this.#workers.size, reason)
    // Without work, the next page starts another one.
    else if (this.#queue.length > 0) this.#grow()
  }

  /** A thread could not be started: no more than these, then, or none at all. */
  #limit(threads: number, reason: Error): void {
    this.#wanted = threads
    if (threads > 0) return
    this.#state = 'unavailable'
    this.#options.onUnavailable(reason)
    for (const job of this.#queue.splice(0)) {
      job.recipe.process(job.page, job.visit).then((result) => job.resolve(result)).catch((error: unknown) => job.reject(error))
    }
  }

  #closeRecipe(recipe: PageRecipe): void {
    recipe.isOpen = false
    for (const worker of this.#workers) worker.forget(recipe, closed())
    for (const job of this.#queue) if (job.recipe === recipe) job.reject(closed())
  }

  async #shutDown(): Promise<void> {
    for (const job of this.#queue.splice(0)) job.reject(closed())
    await Promise.all([...this.#workers].map((worker) => worker.end(closed())))
  }
}

function closed(): Error {
  return new Error('The page processor is closed')
}
