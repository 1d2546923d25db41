import type { Clock } from '../../src/ports/clock.ts'
import type { Queue } from '../../src/ports/queue.ts'

/** The queue to test: empty, and used by nobody else. */
export interface QueueSubject {
  readonly queue: Queue
  /** A second queue on the same jobs, like that of another process. */
  readonly other: Queue
  /** The time that the queue sees. */
  readonly clock: Clock & {
    advance(ms: number): Promise<void>
    runUntil<T>(promise: Promise<T>): Promise<T>
  }
}
