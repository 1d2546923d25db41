import { setImmediate } from 'node:timers'
import { FairQueue } from '../../src/kernel/fair/fair-queue.ts'
import type { Json } from '../../src/kernel/json.ts'
import { pageQuestions, START_VISIT } from '../../src/kernel/page-questions.ts'
import type {
  OpenOptions,
  OpenPages,
  OpenRecipe,
  Page,
  PageAnswers,
  PageProcessor,
  PageTask,
  Visit,
} from '../../src/ports/page-processor.ts'
import type { OpenRows, RowsSpec } from '../../src/ports/row-work.ts'
import { TurnBudget } from '../common/turn-budget.ts'
import { LARGE_BYTES, LargeCopies, mustCopy } from './large-copies.ts'
import type { PageRunner } from './page-runners.ts'
import { PageRunners, SLOW_MS, SlowAccounts } from './page-runners.ts'
import { PageHere } from './page-here.ts'
import { aboutPage, PageJob } from './page-job.ts'
import type { JobQuestion, NamedAnswer } from './page-job.ts'
import { CLAIMS } from './page-messages.ts'
import { PageRecipe } from './page-recipe.ts'
import { PageWorker } from './page-worker.ts'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../../src/ports/clock.ts'
import type { HereOptions } from './page-here.ts'

/**
 * Number of bytes of pages that are copied for threads in one turn of the event loop. A million
 * takes 2 ms.
 */
const MOST_COPIED = 4 * 1_024 * 1_024
/**
 * After this time on one page, in ms, a thread gets a lower priority. If the thread for quick pages
 * runs, it takes the pages that wait behind that one.
 */
const LONG_MS = 20
/**
 * Interval, in ms, at which the pool checks the pages in progress. A late page is noticed after at
 * most this time.
 */
const CHECK_MS = 10

/**
 * Threads behind one queue that accounts share: the account that used least thread time is next.
 * The first thread starts with the first page; another starts when the running ones leave pages
 * waiting. Each thread holds a few pages, so that it never idles. Pages that it has not begun are
 * taken back when an account without pages in a thread sends one: that page waits for at most one
 * page of each thread.
 *
 * Large pages count as slow, and so do the pages of accounts whose pages were slow. They share the
 * threads as others do. When every thread works on a slow page,
 * one more thread starts and takes no slow pages, so a page that takes seconds delays only its own
 * account. That thread starts ahead of need: when a second account has sent a page, or else as soon
 * as all others work on slow pages. The first
 * slow page of an account that was not known as slow may come to it. Then a spare thread takes its
 * place, and it becomes the spare one when it is done.
 */
export class PagePool implements PageProcessor {
  readonly #options: PagePoolOptions
  readonly #runners = new PageRunners()
  readonly #queue = new FairQueue<PageJob>()
  readonly #slow = new SlowAccounts()
  readonly #pulse = new Pulse()
  /** The first account that sent a page. */
  #firstAccount: string | null = null
  /** True once another account has sent a page, so that accounts can delay one another. */
  #isShared = false
  #hasNoExpress = false
  #hasNoSpare = false
  #isChecking = false
  readonly #copied = new TurnBudget(
    MOST_COPIED,
    () => !this.#isClosed && this.#assign(),
    setImmediate,
  )
  readonly #large = new LargeCopies()
  #recipes = 0
  /** The maximum number of threads; lower if some could not be started. */
  #targetThreads: number
  /** True once a thread has started. */
  #wasUp = false
  #isClosed = false
  #closing: Promise<void> | null = null

  constructor(options: PagePoolOptions) {
    this.#options = options
    this.#targetThreads = options.threads
    this.#hasNoExpress = options.quickThread === false
  }

  open(recipe: Json, options?: OpenOptions): OpenRecipe {
    return this.#open(recipe, options)
  }

  openPages(options?: OpenOptions): OpenPages {
    return this.#open(null, options)
  }

  openRows(spec: RowsSpec, { account = '' }: Pick<OpenOptions, 'account'> = {}): OpenRows {
    const recipe = new PageRecipe(++this.#recipes, { kind: 'rows', spec }, account)
    return {
      ask: (question, signal) => this.#answer(recipe, { kind: 'rows', question }, signal),
      close: () => this.#closeRecipe(recipe),
    }
  }

  close(): Promise<void> {
    this.#isClosed = true
    return (this.#closing ??= this.#shutDown())
  }

  #open(source: Json | null, { account = '', limits }: OpenOptions = {}): OpenRecipe {
    const recipe = new PageRecipe(
      ++this.#recipes,
      { kind: 'pages', recipe: source, limits },
      account,
    )
    const ask = <K extends PageTask>(
      task: K,
      page: Page,
      visit: Visit,
      signal?: AbortSignal,
    ): Promise<PageAnswers[K]> => this.#ask(recipe, task, page, visit, signal)
    return {
      ...pageQuestions<Page, Visit, PageAnswers>(ask, START_VISIT),
      close: () => this.#closeRecipe(recipe),
    }
  }

  async #ask<K extends PageTask>(
    recipe: PageRecipe,
    task: K,
    page: Page,
    visit: Visit,
    signal: AbortSignal | undefined,
  ): Promise<PageAnswers[K]> {
    const answer: PageAnswers[K] | undefined = (
      await this.#answer(recipe, aboutPage(task, page, visit), signal)
    )[task]
    if (answer === undefined) throw new Error('A page thread gave no answer')
    return answer
  }

  async #answer(
    recipe: PageRecipe,
    question: JobQuestion,
    signal: AbortSignal | undefined,
  ): Promise<NamedAnswer> {
    signal?.throwIfAborted()
    if (this.#isClosed || !recipe.isOpen) throw closed()
    const job = new PageJob(recipe, question, signal)
    this.#meet(recipe.account)
    this.#makeRoom(recipe.account)
    this.#queue.push(recipe.account, job)
    this.#assign()
    this.#checkAgain()
    return this.#pulse.during(job.answer)
  }

  /**
   * Records the account of a page, to know whether several accounts share the pool. Pages without
   * an account do not count.
   */
  #meet(account: string): void {
    if (account === '') return
    this.#firstAccount ??= account
    if (account !== this.#firstAccount) this.#isShared = true
  }

  /** Gives threads their next pages, and adds a thread if pages are left. */
  #assign(): void {
    this.#dispatch()
    if (this.#queue.size > 0) this.#grow()
  }

  #dispatch(): void {
    while (!this.#copied.isFull) {
      const forSlow = this.#runners.leastLoaded((runner) => runner !== this.#runners.express)
      const forQuick = this.#runners.leastLoaded((runner) => this.#mayTakeQuick(runner))
      if (!forSlow && !forQuick) return
      const runnerFor = (job: PageJob): PageRunner | null =>
        this.#isSlow(job) ? forSlow : forQuick
      const job = this.#next(
        (_account, first) => runnerFor(first) !== null && this.#large.mayGo(first),
      )
      if (!job) return
      const chosen = runnerFor(job)
      if (!chosen) return
      if (mustCopy(job)) {
        void this.#copy(job)
        continue
      }
      this.#copied.add(job.isCopied ? 0 : job.bytes)
      job.isSlow = this.#isSlow(job)
      job.isLong = false
      job.estimate = job.recipe.estimate
      this.#queue.charge(job.recipe.account, job.estimate)
      this.#large.gone(job)
      chosen.give(job)
    }
  }

  /** Copies a large page in several turns of the event loop, and puts it back into the queue. */
  async #copy(job: PageJob): Promise<void> {
    await this.#large.copy(job)
    if (this.#isClosed || !job.recipe.isOpen) job.reject(closed())
    if (!job.settled) this.#queue.putBack(job.recipe.account, [job], 0)
    if (this.#isClosed) return
    this.#assign()
    this.#checkAgain()
  }

  /** Checks for slow pages as long as there are pages, so that others do not wait for one. */
  #checkAgain(): void {
    if (this.#isChecking || !this.#hasWork) return
    this.#isChecking = true
    void this.#options.clock.sleep(CHECK_MS).then(() => {
      this.#isChecking = false
      if (this.#isClosed) return
      if (!this.#hasWork) return this.#prepare()
      this.#passLate()
      this.#runners.rotate(this.#targetThreads)
      this.#dispatch()
      // The thread starts ahead of need, because starting takes at least a tenth of a second.
      const isAhead = this.#options.quickThread !== false && this.#runners.isAllSlow
      if (this.#queue.size > 0 || isAhead) this.#grow()
      this.#keepQuick()
      this.#checkAgain()
    })
  }

  get #hasWork(): boolean {
    return this.#queue.size > 0 || this.#runners.hasWork || this.#large.isCopying
  }

  /**
   * Starts the thread for quick pages while there is nothing to do, if accounts share the pool: a
   * thread that starts when all others are slow takes a tenth of a second and more, and the pages
   * wait for it.
   */
  #prepare(): void {
    if (this.#isShared && !this.#runners.express && !this.#hasNoExpress) this.#grow('express')
  }

  /**
   * For each page that takes long: lowers the priority of its thread, and lets the thread for quick
   * pages, if it runs, take those behind it. For each slow page: marks its account as slow, and
   * takes back the pages behind it even if that thread has yet to start.
   */
  #passLate(): void {
    const { express } = this.#runners
    for (const runner of this.#runners) {
      const long = runner.late(LONG_MS)
      if (!long) continue
      if (runner !== express) {
        runner.standBack()
        if (express?.isReady && !long.isLong) {
          long.isLong = true
          this.#putAllBack(runner.takeBack())
        }
      }
      // While a thread sends an answer it computes little. The pages behind it wait, but the page
      // is not slow: its parts wait for the thread that serves.
      if (long.isSlow || this.#hasNoExpress || runner.isAnswering || !runner.late(SLOW_MS)) continue
      long.isSlow = true
      this.#slow.note(long.recipe.account)
      this.#putAllBack(runner.takeBack())
    }
  }

  /**
   * The thread for quick pages may hold a slow page of an account that was not known as slow, while
   * the spare thread is at such a page too. If quick pages wait, the thread restarts without that
   * page, which goes to the other threads.
   */
  #keepQuick(): void {
    const express = this.#runners.express
    if (
      !express?.isSlow ||
      !this.#runners.isAllSlow ||
      (this.#runners.spare !== null && !this.#runners.spare.isReady) ||
      !this.#queue.hasFor((_account, first) => !this.#isSlow(first))
    )
      return
    this.#putAllBack(express.abandon())
    void express.end(new Error('A page thread was kept for quick pages'))
  }

  #putAllBack(unstarted: readonly PageJob[]): void {
    for (const [owner, jobs] of Map.groupBy(unstarted, ({ recipe }) => recipe.account))
      this.#putBack(owner, jobs)
  }

  /** True if a page is expected to take long: it is large, or the pages of its account took long. */
  #isSlow({ bytes, recipe }: PageJob): boolean {
    return bytes > LARGE_BYTES || this.#slow.has(recipe.account)
  }

  #next(fits?: (account: string, first: PageJob) => boolean): PageJob | undefined {
    let job = this.#queue.take(fits)
    while (job?.settled) job = this.#queue.take(fits)
    return job
  }

  /**
   * For an account without pages in threads: if all threads are full, takes back pages of others
   * that are not begun.
   */
  #makeRoom(account: string): void {
    if (this.#queue.waiting(account) > 0) return
    const isSlow = this.#slow.has(account)
    const fullest = this.#runners.fullestFor(account, (runner) =>
      isSlow ? runner !== this.#runners.express : this.#mayTakeQuick(runner),
    )
    this.#putAllBack(fullest?.takeBack() ?? [])
  }

  /**
   * True for a thread that is at no slow page. The thread for quick pages takes pages only if all
   * others work on long pages, because more threads than processors make all of them slower. Once
   * it runs, no quick page waits behind one that takes long.
   */
  #mayTakeQuick(runner: PageRunner): boolean {
    const { express } = this.#runners
    if (this.#hasNoExpress) return true
    if (runner === express) return this.#runners.isOtherLong && !runner.isSlow
    return !(express?.isReady ? runner.isLong : runner.isSlow)
  }

  #putBack(account: string, jobs: readonly PageJob[]): void {
    this.#queue.putBack(
      account,
      jobs,
      jobs.reduce((ms, { estimate }) => ms + estimate, 0),
    )
  }

  /** Adds a thread, unless there are enough or one is starting. */
  #grow(role = this.#nextRole()): void {
    if (role === null || this.#runners.isGrowing) return
    const { clock, maxPageMs, processorMs, spawn } = this.#options
    const claims = new Int32Array(new SharedArrayBuffer(CLAIMS * Int32Array.BYTES_PER_ELEMENT))
    try {
      const worker: PageWorker = new PageWorker(spawn(claims), claims, {
        clock,
        maxPageMs,
        ...(processorMs && { processorMs }),
        onDone: (job, ms) => this.#done(job, ms),
        onRoom: () => {
          this.#wasUp = true
          this.#runners.rotate(this.#targetThreads)
          this.#assign()
        },
        onEnd: (...end) => this.#bury(...end),
      })
      this.#runners.add(worker)
      if (role !== 'any') this.#runners[role] = worker
    } catch (error) {
      if (role === 'express') this.#hasNoExpress = true
      else if (role === 'spare') this.#hasNoSpare = true
      else this.#limit(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The role of the next thread; `null`: no thread is needed. */
  #nextRole(): 'any' | 'express' | 'spare' | null {
    const { size, express, spare, isAllSlow } = this.#runners
    if (size < this.#targetThreads) return 'any'
    if (!isAllSlow) return null
    if (!express) return this.#hasNoExpress ? null : 'express'
    return spare || this.#hasNoSpare || size > this.#targetThreads ? null : 'spare'
  }

  #done({ recipe, estimate }: PageJob, ms: number): void {
    recipe.learn(ms)
    this.#slow.learn(recipe.account, ms)
    this.#queue.charge(recipe.account, ms - estimate)
  }

  /**
   * Handles a thread's death: the page that it worked on fails, its other pages go to another
   * thread.
   */
  #bury(
    worker: PageWorker,
    reason: Error,
    culprit: PageJob | undefined,
    others: readonly PageJob[],
  ): void {
    const role = this.#runners.remove(worker)
    if (this.#isClosed) {
      for (const job of [culprit, ...others]) job?.reject(closed())
      return
    }
    if (!worker.isReady && role !== null) {
      if (role === 'express') this.#hasNoExpress = true
      else this.#hasNoSpare = true
      return this.#dispatch()
    }
    if (!worker.isReady) return this.#limit(reason)
    if (culprit) {
      culprit.reject(reason)
      // The page's exact time is not known, but it was at least this.
      this.#done(culprit, this.#options.maxPageMs)
    }
    this.#putAllBack(others)
    // Without work, the next page starts another thread.
    this.#assign()
  }

  /**
   * A thread could not be started: the pool keeps those that it has. If there never was one, pages
   * are processed on this thread.
   */
  #limit(reason: Error): void {
    if (this.#runners.size === 0 && !this.#runners.express && this.#wasUp) {
      // A page that may have ended its thread is not processed on this thread. Each try to start a
      // thread costs one page.
      this.#next()?.reject(reason)
      if (this.#queue.size > 0) this.#grow()
      return
    }
    this.#targetThreads = this.#runners.size
    if (this.#targetThreads > 0) return
    if (this.#runners.express) {
      // The only thread that is left takes all pages.
      this.#runners.express = null
      this.#hasNoExpress = true
      this.#targetThreads = 1
      return this.#dispatch()
    }
    this.#options.onUnavailable(reason)
    const here = new PageHere(this.#options, (job, ms) => {
      this.#done(job, ms)
      this.#dispatch()
    })
    this.#runners.add(here)
    this.#dispatch()
  }

  #closeRecipe(recipe: PageRecipe): void {
    recipe.isOpen = false
    for (const runner of this.#runners) runner.forget(recipe, closed())
    this.#queue.forEach((job) => job.recipe === recipe && job.reject(closed()))
  }

  async #shutDown(): Promise<void> {
    for (const job of this.#queue.clear()) job.reject(closed())
    await this.#pulse.during(Promise.all([...this.#runners].map((runner) => runner.end(closed()))))
  }
}

function closed(): Error {
  return new Error('The page processor is closed')
}

/** Options of a `PagePool`. */
export interface PagePoolOptions extends HereOptions {
  /** Maximum number of threads. */
  readonly threads: number
  readonly maxPageMs: number
  /** Whether a thread for quick pages may start. Default true. */
  readonly quickThread?: boolean
  readonly clock: Clock
  /** Starts a thread, with these as its `workerData`. */
  readonly spawn: (claims: Int32Array) => Worker
  /**
   * Returns the time of the processor that a thread has had, in ms, or `null`. A page is not slow
   * because its thread had to wait for a processor. Absent: what the clock shows counts.
   */
  readonly processorMs?: (thread: number) => number | null
  /** Called once, if threads cannot be started. */
  readonly onUnavailable: (reason: Error) => void
}

/** The longest interval of a timer; it never fires. */
const FOREVER = 2 ** 31 - 1

/** Keeps the process alive while a caller waits for something that does not do so, such as a thread. */
class Pulse {
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined

  async during<T>(result: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#timer = setInterval(() => {}, FOREVER)
    try {
      return await result
    } finally {
      if (--this.#waiting === 0) clearInterval(this.#timer)
    }
  }
}
