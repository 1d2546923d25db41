import { lanePlaces } from '../kernel/queue-lanes.ts'
import type { ConsumeOptions, Lane } from '../ports/queue.ts'
import type { RunningJob } from './queue-job.ts'

/** The places of one lane that a consumer has. */
export interface LaneSlots {
  readonly lane: Lane
  readonly size: number
  /** Jobs that have a place. */
  readonly running: Set<RunningJob>
  /** The share that was served last; `null`: none waits that another was served before. */
  last: string | null
  /**
   * Places in the index that the last look found deserted, as another consumer had just taken their
   * jobs.
   */
  deserted: readonly string[]
}

/**
 * A consumer's places, lane by lane.
 *
 * @throws {RangeError} for a number of places that is no integer of at least 1
 */
export function laneSlots(concurrency: ConsumeOptions['concurrency']): readonly LaneSlots[] {
  return lanePlaces(concurrency).map(({ lane, size }) => ({
    lane,
    size,
    running: new Set(),
    last: null,
    deserted: [],
  }))
}
