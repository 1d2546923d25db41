import type { Clock } from '../../../ports/clock.ts'
import type { Logger } from '../../../ports/logger.ts'
import type { Records } from '../../records.ts'
import { emptyProgress } from '../records.ts'
import type { ExecutionRecord, ProgressRecord } from '../records.ts'
import { executionOf } from '../execution.ts'
import type { Execution } from '../execution.ts'
import { isFinal } from '../lifecycle.ts'
import { progressOf, stateOf } from './live-event.ts'
import type { ExecutionProgress, ExecutionState } from './live-event.ts'
import { positionText, START } from './position.ts'
import type { Position } from './position.ts'
import { readNews, Recent } from './news.ts'

/** What a watcher works with. */
export interface WatcherOptions {
  readonly records: Records
  readonly clock: Clock
  readonly logger: Logger
  readonly account: string
  readonly execution: string
  /** Called when it is closed. */
  readonly onClose: () => void
}

/** Who is told that there is something new, or that time has passed. */
export interface Listener {
  wake(): void
}

/** An execution as it was last seen. */
interface Present {
  readonly execution: ExecutionRecord
  readonly progress: ProgressRecord
}

/** The least time between two looks, however often a worker says that something changed. */
const LEAST_MS = 100
/** How often the store is looked at for what other processes do. */
const POLL_MS = 500
const PROGRESS_MS = 500
const BEAT_MS = 15_000
/** Events of one look; more of them wait for the next, so that readers can follow. */
const MOST_EVENTS = 600
const STABLE_TRIES = 5

/**
 * Looks at one execution for all who read its events in this process, from the first reader to the
 * last.
 */
export class Watcher {
  readonly recent = new Recent()
  readonly #options: WatcherOptions
  readonly #listeners = new Set<Listener>()
  readonly #stop = new AbortController()
  #rest = new AbortController()
  #nudged = false
  #at: Position = START
  #tail = ''
  #present: Present | null = null
  #shown: { readonly text: string; readonly at: number } | null = null
  #serial = 0
  #beats = 0
  #told = 0
  #ended = false
  #ready: Promise<void> | null = null

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  /** The position up to which everything was read. */
  get at(): Position {
    return this.#at
  }

  /** The same as a text. */
  get tail(): string {
    return this.#tail
  }

  /** Grows each time the listeners are woken. */
  get told(): number {
    return this.#told
  }

  /** Grows with each new state of the counters. */
  get serial(): number {
    return this.#serial
  }

  /** Grows with time, while the execution goes on. */
  get beats(): number {
    return this.#beats
  }

  /** Whether nothing will follow. */
  get ended(): boolean {
    return this.#ended
  }

  /** Whether it was closed, or its execution is gone. */
  get closed(): boolean {
    return this.#stop.signal.aborted
  }

  get state(): ExecutionState {
    const { execution, progress } = this.#known()
    return stateOf(execution, { ...execution, at: execution.updatedAt }, progress)
  }

  get progress(): ExecutionProgress {
    const { execution, progress } = this.#known()
    return progressOf(execution, progress)
  }

  get execution(): Execution {
    const { execution, progress } = this.#known()
    return executionOf(execution, progress)
  }

  join(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /** Resolves when the present is known; `at`, `state` and the like are to be asked for afterwards. */
  known(): Promise<void> {
    return (this.#ready ??= this.#begin())
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.close()
  }

  /** Something changed: look soon. */
  nudge(): void {
    this.#nudged = true
    this.#rest.abort()
  }

  /** Ends it for all who still listen. */
  close(): void {
    if (this.closed) return
    this.#stop.abort()
    this.#rest.abort()
    this.#options.onClose()
    this.#tell()
  }

  // A listener may leave while the others are told; a Set allows that.
  #tell(): void {
    this.#told++
    for (const listener of this.#listeners) listener.wake()
  }

  /**
   * Finds a position with which nothing is before that was not read, and nothing read that is
   * after.
   */
  async #begin(): Promise<void> {
    const { records, account, execution: id } = this.#options
    let execution = await records.executions.get(account, id)
    for (let tried = 1; execution; tried++) {
      const progress = (await records.progress.get(account, id))?.value ?? emptyProgress(id)
      const again = await records.executions.get(account, id)
      if (again?.version === execution.version || tried === STABLE_TRIES) {
        this.#move({ settled: progress.settled, taken: 0, move: execution.value.updatedAt })
        this.#show(execution.value, progress)
        if (this.#ended) return
        void this.#watch()
        return
      }
      execution = again
    }
    throw new Error(`The execution ${id} is gone`)
  }

  async #watch(): Promise<void> {
    const { clock, logger, execution } = this.#options
    const { signal } = this.#stop
    let beatAt = clock.now()
    let failing = false
    while (!signal.aborted && !this.#ended) {
      await clock.sleep(LEAST_MS, signal).catch(() => {})
      if (!this.#nudged && !signal.aborted) {
        this.#rest = new AbortController()
        await clock.sleep(POLL_MS - LEAST_MS, this.#rest.signal).catch(() => {})
      }
      if (signal.aborted) return
      this.#nudged = false
      try {
        await this.#look()
        failing = false
      } catch (error) {
        if (!failing)
          logger.warn('An execution could not be looked at for its watchers; trying again', {
            execution,
            error,
          })
        failing = true
      }
      if (clock.now() - beatAt >= BEAT_MS) {
        beatAt = clock.now()
        this.#beats++
      }
      this.#tell()
    }
  }

  async #look(): Promise<void> {
    const { records, account, execution } = this.#options
    for (let events = 0; events < MOST_EVENTS;) {
      const news = await readNews(records, account, execution, this.#at)
      if (!news) return this.close()
      events += news.events.length
      if (news.events.length > 0) this.recent.add(news.events, news.next)
      this.#move(news.next)
      this.#show(news.execution, news.progress)
      if (news.whole) return
    }
    // There is more at once.
    this.#nudged = true
  }

  #move(to: Position): void {
    this.#at = to
    this.#tail = positionText(to)
  }

  #show(execution: ExecutionRecord, progress: ProgressRecord): void {
    const now = this.#options.clock.now()
    this.#present = { execution, progress }
    this.#ended = isFinal(execution.status) && this.#at.move >= execution.updatedAt
    const text = JSON.stringify(this.progress)
    if (
      this.#shown &&
      (this.#shown.text === text || (now - this.#shown.at < PROGRESS_MS && !this.#ended))
    )
      return
    this.#shown = { text, at: now }
    this.#serial++
  }

  #known(): Present {
    if (!this.#present) throw new Error('A watcher was asked before it knew')
    return this.#present
  }
}
