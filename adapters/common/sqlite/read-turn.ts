import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'
import type { SqliteStatements } from './statements.ts'

/**
 * Maximum number of reads that share a snapshot, so that a long chain of reads sees the writes of
 * other processes.
 */
const MOST_READS = 256

/**
 * Counts the transactions written in this process, because every other store on the same file must
 * see them.
 */
let commits = 0

/**
 * One read transaction for all reads of a turn of the event loop. SQLite locks and unlocks the file
 * for each statement outside of a transaction, which costs three times the read itself. The
 * snapshot ends before the process can learn of anything new: after the microtasks of the callback
 * in which it began, and before each write.
 */
export class ReadTurn {
  readonly #statements: SqliteStatements
  #isOpen = false
  #isEnding = false
  #reads = 0
  #written = 0
  /** True from the end of a snapshot to the end of this turn of the event loop. */
  #hasEnded = false
  #waiting: PromiseWithResolvers<void> | null = null

  constructor(statements: SqliteStatements) {
    this.#statements = statements
  }

  /**
   * `null`: a read may start now. Each request comes in its own callback, and a snapshot costs more
   * than most requests read. So the later ones of a turn wait for its end, and share one.
   */
  wait(): Promise<void> | null {
    if (this.#isOpen || !this.#hasEnded) return null
    return (this.#waiting ??= Promise.withResolvers<void>()).promise
  }

  /** Before each read. */
  enter(): void {
    if (this.#isOpen) {
      if (++this.#reads <= MOST_READS && this.#written === commits) return
      this.leave()
    }
    this.#statements.beginRead()
    this.#isOpen = true
    this.#reads = 1
    this.#written = commits
    if (this.#isEnding) return
    this.#isEnding = true
    // A tick that a microtask schedules runs after all microtasks, and before the next callback.
    queueMicrotask(() => nextTick(this.#end))
  }

  /** Ends the read. Called before a transaction that writes, and before the database closes. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#statements.endRead()
  }

  /** Lets waiting reads run now, one after the other, before any later call. */
  release(): void {
    this.#waiting?.resolve()
    this.#waiting = null
  }

  /** Called after a transaction has been written. */
  noteWritten(): void {
    commits++
  }

  readonly #end = (): void => {
    this.#isEnding = false
    this.leave()
    if (this.#hasEnded) return
    this.#hasEnded = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#hasEnded = false
    this.release()
  }
}
