import { setImmediate } from 'node:timers'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { PageFailure } from '../../src/kernel/failures.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { lowerPriority, restorePriority } from './low-priority.ts'
import type { PageRunner } from './page-runners.ts'
import type { NamedAnswer, PageJob } from './page-job.ts'
import { BEGUN, CLAIMS, TAKEN_BACK, WAITS } from './page-messages.ts'
import type { FromThread, ToThread } from './page-messages.ts'
import type { PageRecipe } from './page-recipe.ts'
import { ValueJoiner } from './value-parts.ts'

/**
 * Maximum number of pages that a thread holds. It must not become idle while the caller's thread
 * writes a group of outcomes.
 */
const MAX_PAGES = 16
/** Number of bytes of such pages above which it gets no more, because they are copies. */
const MAX_BYTES = 4 * 1024 * 1024
/** Estimated work, in ms, above which it gets no more pages, except the next one. */
const MAX_MS = 20
/**
 * Maximum number of pages that were taken back but not yet seen by the thread. Each is a copy in
 * memory.
 */
const MAX_TAKEN_BACK = 32

/** Maximum time of a page, in ms, that counts as work before the first check. */
const FIRST_MS = 10

/** Options of a {@link PageWorker}: how it reports to its pool. */
export interface PageWorkerOptions {
  readonly clock: Clock
  /** Longest time of one page, in ms, before the thread is ended. */
  readonly maxPageMs: number
  /** Returns the time of the processor that a thread has had, in ms. */
  readonly processorMs?: (thread: number) => number | null
  /** Called when a page is done, with its time in ms. */
  readonly onDone: (job: PageJob, ms: number) => void
  /** Called when the thread has started or answered: there may be room for another page. */
  readonly onRoom: () => void
  /**
   * Called when it has ended. `culprit`: the page that it worked on. `others`: its other pages
   * without an answer.
   */
  readonly onEnd: (
    worker: PageWorker,
    reason: Error,
    culprit: PageJob | undefined,
    others: readonly PageJob[],
  ) => void
}

/**
 * The main thread's view of one thread: its pending questions, whether it is alive, and the time it
 * has spent on the current page.
 */
export class PageWorker implements PageRunner {
  readonly #thread: Worker
  readonly #claims: Int32Array
  readonly #options: PageWorkerOptions
  readonly #recipes = new Set<number>()
  readonly #stop = new AbortController()
  /**
   * Pages by number, in the order of work. Aborted pages stay, because the thread does not learn of
   * the abort.
   */
  readonly #jobs = new Map<number, PageJob>()
  /** Numbers of pages that were taken back, until the thread has seen them. */
  readonly #takenBack = new Set<number>()
  #lastId = 0
  #bytes = 0
  #firstSince = 0
  /** The last late page, and the thread's processor time at that moment. */
  #late = { id: 0, processorMs: 0 }
  #isReady = false
  #isAbandoned = false
  #isWatched = false
  /** The system's number of the thread. */
  #number: number | null = null
  #standsBack = false
  #joiner: ValueJoiner | null = null
  /** When the first part of the answer under way came; `null` if there is no such answer. */
  #answeringSince: number | null = null
  #reason: Error = new Error('A page thread ended')
  /** The error that the thread threw. */
  #thrown: { readonly error: unknown } | null = null

  /** `claims`: the same memory as in the thread's `workerData`. */
  constructor(thread: Worker, claims: Int32Array, options: PageWorkerOptions) {
    this.#thread = thread
    this.#claims = claims
    this.#options = options
    thread.on('message', (message: FromThread) => this.#receive(message))
    thread.on('error', (error) => (this.#thrown = { error }))
    thread.on('exit', () => this.#end())
    // After the listeners, because a message listener keeps the process alive. The pool does that
    // while a caller waits.
    thread.unref()
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get load(): number {
    return this.#jobs.size
  }

  get isSlow(): boolean {
    for (const { isSlow } of this.#jobs.values()) if (isSlow) return true
    return false
  }

  get isLong(): boolean {
    for (const { isSlow, isLong } of this.#jobs.values()) if (isSlow || isLong) return true
    return false
  }

  get isAnswering(): boolean {
    return this.#answeringSince !== null
  }

  get hasRoom(): boolean {
    if (!this.#isReady || this.#isAbandoned || this.#takenBack.size > MAX_TAKEN_BACK) return false
    if (this.#jobs.size < 2) return true
    if (this.#jobs.size >= MAX_PAGES || this.#bytes >= MAX_BYTES) return false
    let ms = 0
    for (const { estimate } of this.#jobs.values()) ms += estimate
    return ms < MAX_MS
  }

  late(ms: number): PageJob | null {
    const [first] = this.#jobs
    if (first === undefined) return null
    const [id, job] = first
    const now = this.#options.clock.now()
    if (this.#answeringSince !== null) return now - this.#answeringSince > ms ? job : null
    if (now - this.#firstSince <= ms) return null
    // Pages that the thread has not begun are not returned.
    if (Atomics.load(this.#claims, id % CLAIMS) === WAITS) return null
    return this.#workedMs(id) < ms ? null : job
  }

  /**
   * Returns how long the thread has worked on a page. Time in which it waited for a processor does
   * not count. Of the time until the first check of a late page, at most {@link FIRST_MS} count.
   */
  #workedMs(id: number): number {
    const passed = this.#options.clock.now() - this.#firstSince
    const now = this.#number === null ? null : this.#options.processorMs?.(this.#number)
    if (now === null || now === undefined) return passed
    if (this.#late.id !== id) this.#late = { id, processorMs: now }
    return Math.min(passed, FIRST_MS + now - this.#late.processorMs)
  }

  standBack(): void {
    if (this.#standsBack) return
    this.#standsBack = true
    lowerPriority(this.#number)
  }

  give(job: PageJob): void {
    const { recipe } = job
    if (!this.#recipes.has(recipe.number)) {
      this.#recipes.add(recipe.number)
      this.#say({ kind: 'open', recipe: recipe.number, source: recipe.source })
    }
    const id = ++this.#lastId
    Atomics.store(this.#claims, id % CLAIMS, WAITS)
    const { question, transfer } = job.forThread()
    this.#say({ ...question, id, recipe: recipe.number }, transfer)
    this.#bytes += job.bytes
    if (this.#jobs.set(id, job).size > 1) return
    if (job.isSlow) this.standBack()
    this.#firstSince = this.#options.clock.now()
    if (!this.#isWatched) void this.#watch()
  }

  serves(account: string): boolean {
    return [...this.#jobs.values()].some(({ recipe }) => recipe.account === account)
  }

  takeBack(): PageJob[] {
    const unstarted: PageJob[] = []
    for (const [id, job] of this.#jobs) {
      if (Atomics.compareExchange(this.#claims, id % CLAIMS, WAITS, TAKEN_BACK) !== WAITS) continue
      this.#takenBack.add(id)
      this.#remove(id, job)
      unstarted.push(job)
    }
    return unstarted
  }

  abandon(): PageJob[] {
    const jobs = [...this.#jobs.values()]
    this.#isAbandoned = true
    this.#jobs.clear()
    this.#bytes = 0
    return jobs
  }

  forget(recipe: PageRecipe, reason: Error): void {
    for (const job of this.#jobs.values()) if (job.recipe === recipe) job.reject(reason)
    if (this.#recipes.delete(recipe.number)) this.#say({ kind: 'close', recipe: recipe.number })
  }

  async end(reason: Error): Promise<void> {
    this.#reason = reason
    await this.#thread.terminate()
  }

  #say(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#thread.postMessage(message, transfer)
  }

  #receive(message: FromThread): void {
    if (message.kind === 'ready') {
      this.#isReady = true
      this.#number = message.thread
    } else if (message.kind === 'skipped') this.#takenBack.delete(message.id)
    else if (message.kind === 'part') {
      this.#joiner ??= new ValueJoiner()
      this.#joiner.add(message.part)
      // The page is done. The time of its answer does not count for the time limit of a page.
      this.#firstSince = this.#options.clock.now()
      this.#answeringSince ??= this.#firstSince
      // The next part is requested in a later turn. A port receives all waiting messages in one
      // turn, and a quick thread could send part after part into the same turn.
      setImmediate(() => {
        if (!this.#stop.signal.aborted) this.#say({ kind: 'more' })
      })
      return
    } else this.#settle(message)
    this.#options.onRoom()
  }

  #settle(message: Extract<FromThread, { kind: 'answer' | 'whole' | 'error' }>): void {
    const job = this.#jobs.get(message.id)
    const whole = this.#joiner?.value
    this.#joiner = null
    this.#answeringSince = null
    if (job === undefined) return
    this.#remove(message.id, job)
    const [next] = this.#jobs.values()
    if (next?.isSlow) this.standBack()
    else if (this.#standsBack) {
      this.#standsBack = false
      restorePriority(this.#number)
    }
    if (message.kind === 'answer') job.resolve(message.answer)
    else if (message.kind === 'whole') job.resolve(isAnswer(whole) ? whole : {})
    else
      job.reject(
        message.costly === null
          ? new Error(message.message)
          : new PageFailure(message.costly, message.message),
      )
    this.#firstSince = this.#options.clock.now()
    this.#options.onDone(job, message.ms)
  }

  #remove(id: number, job: PageJob): void {
    this.#jobs.delete(id)
    this.#bytes -= job.bytes
  }

  #end(): void {
    this.#stop.abort()
    const jobs = [...this.#jobs]
    this.#jobs.clear()
    const begun = jobs.findIndex(([id]) => Atomics.load(this.#claims, id % CLAIMS) === BEGUN)
    // If no page was started, the thread died because of something that came with the first page,
    // such as its recipe.
    const [culprit] = jobs.splice(Math.max(begun, 0), 1)
    this.#options.onEnd(
      this,
      this.#thrown ? failureOf(this.#thrown.error, culprit?.[1]) : this.#reason,
      culprit?.[1],
      jobs.map(([, job]) => job),
    )
  }

  /**
   * There is one timer, not one for each page. It fires when the current page would exceed its
   * time.
   */
  async #watch(): Promise<void> {
    const { clock, maxPageMs } = this.#options
    const left = (): number => this.#firstSince + maxPageMs - clock.now()
    this.#isWatched = true
    while (this.#jobs.size > 0) {
      await clock.sleep(Math.max(0, left()), this.#stop.signal).catch(() => {})
      // If the caller's thread was busy, the answer may have arrived but not been processed yet.
      await turn()
      const [first] = this.#jobs.values()
      if (first !== undefined && left() <= 0) {
        return void this.end(
          new PageFailure(
            'time',
            `${subjectOf(first)} took longer than ${maxPageMs.toLocaleString('en')} ms and was stopped`,
            { endedThread: true },
          ),
        )
      }
    }
    this.#isWatched = false
  }
}

/** The error of a thread's end, for the job that it worked on. */
function failureOf(error: unknown, culprit: PageJob | undefined): Error {
  const isMemory =
    error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (isMemory)
    return new PageFailure(
      'memory',
      `${subjectOf(culprit)} used more memory than a page may, and was stopped`,
      { cause: error, endedThread: true },
    )
  return new Error(
    `A page thread failed: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  )
}

function subjectOf(job: PageJob | undefined): string {
  return job?.asked.kind === 'rows' ? 'A part of the rows' : 'The page'
}

/** A thread sends no other messages. */
function isAnswer(value: unknown): value is NamedAnswer {
  return typeof value === 'object' && value !== null
}
