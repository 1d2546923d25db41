import type { StoreFailure } from '../../../kernel/failures.ts'
import { isAway, Outage } from '../../../kernel/outage.ts'
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

/** Options of a watcher. */
export interface WatcherOptions {
  readonly records: Records
  readonly clock: Clock
  readonly logger: Logger
  readonly account: string
  readonly execution: string
  /**
   * Called when the store cannot be reached. The last reader may leave before it can be reached
   * again.
   */
  readonly storeFailed: ((failure: StoreFailure) => void) | undefined
  /** Called when it is closed. */
  readonly onClose: () => void
}

/** A function that is called when there are new events, and when time has passed. */
export interface Listener {
  wake(): void
}

/** The latest known state of an execution. */
interface Present {
  readonly execution: ExecutionRecord
  readonly progress: ProgressRecord
}

/** Minimum time between two reads, however often a worker reports a change. */
const LEAST_MS = 100
/** Poll interval for changes made by other processes. */
const POLL_MS = 500
const PROGRESS_MS = 500
const BEAT_MS = 15_000
/**
 * Limit on the events of one read. Further events wait for the next read, so that readers can keep
 * up.
 */
const MOST_EVENTS = 600
const STABLE_TRIES = 5

/**
 * Polls one execution for all readers of its events in this process. It lives from the first reader
 * to the last.
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
  #wakes = 0
  #ended = false
  #ready: Promise<void> | null = null

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  /** The position up to which everything was read. */
  get at(): Position {
    return this.#at
  }

  /** {@link Watcher.at} as text. */
  get tail(): string {
    return this.#tail
  }

  /** Grows each time the listeners are woken. */
  get wakes(): number {
    return this.#wakes
  }

  /** Grows with each new state of the counters. */
  get serial(): number {
    return this.#serial
  }

  /** Grows with time, while the execution goes on. */
  get beats(): number {
    return this.#beats
  }

  /** True if no further event will follow. */
  get ended(): boolean {
    return this.#ended
  }

  /** True if the watcher was closed, or if its execution is gone. */
  get closed(): boolean {
    return this.#stop.signal.aborted
  }

  get state(): ExecutionState {
    const { execution, progress } = this.#current()
    return stateOf(execution, { ...execution, at: execution.updatedAt }, progress)
  }

  get progress(): ExecutionProgress {
    const { execution, progress } = this.#current()
    return progressOf(execution, progress)
  }

  get execution(): Execution {
    const { execution, progress } = this.#current()
    return executionOf(execution, progress)
  }

  join(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /**
   * Resolves when the present state is known. `at`, `state` and similar members are valid after
   * that.
   */
  ready(): Promise<void> {
    return (this.#ready ??= this.#begin())
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.close()
  }

  /** Reports a change: the next read follows soon. */
  nudge(): void {
    this.#nudged = true
    this.#rest.abort()
  }

  /** Ends the watcher for all its listeners. */
  close(): void {
    if (this.closed) return
    this.#stop.abort()
    this.#rest.abort()
    this.#options.onClose()
    this.#tell()
  }

  // A listener may leave while the others are woken. A Set allows that.
  #tell(): void {
    this.#wakes++
    for (const listener of this.#listeners) listener.wake()
  }

  /** Finds a consistent start position: everything before it has been read, and nothing after it. */
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
    const { clock, logger, execution, storeFailed } = this.#options
    const { signal } = this.#stop
    let beatAt = clock.now()
    const outage = new Outage(clock, logger, {
      failing: `The execution ${execution} could not be read for its streams`,
      over: `The execution ${execution} is read for its streams again`,
    })
    try {
      while (!signal.aborted && !this.#ended) {
        await clock.sleep(LEAST_MS, signal).catch(() => {})
        if (!this.#nudged && !signal.aborted) {
          this.#rest = new AbortController()
          await clock.sleep(POLL_MS - LEAST_MS, this.#rest.signal).catch(() => {})
        }
        if (signal.aborted) return
        this.#nudged = false
        try {
          await this.#poll()
          outage.worked()
        } catch (error) {
          outage.failed(error)
          if (isAway(error)) storeFailed?.(error)
        }
        if (clock.now() - beatAt >= BEAT_MS) {
          beatAt = clock.now()
          this.#beats++
        }
        this.#tell()
      }
    } finally {
      outage.ended()
    }
  }

  async #poll(): Promise<void> {
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
    // More events can be read at once.
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

  #current(): Present {
    if (!this.#present) throw new Error('The watcher is not ready')
    return this.#present
  }
}
