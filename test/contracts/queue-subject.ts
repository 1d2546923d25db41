import type { Clock } from '../../src/ports/clock.ts'
import type { Queue } from '../../src/ports/queue.ts'

/** A Queue to hold against the contract, empty and of its own. */
export interface QueueSubject {
  readonly queue: Queue
  /** A second handle on the same jobs, as another process has it. */
  readonly other: Queue
  /** The time that the queue lives by. */
  readonly clock: Clock & {
    advance(ms: number): Promise<void>
    runUntil<T>(promise: Promise<T>): Promise<T>
  }
}
