import type { ConsumeOptions, Lane } from '../ports/queue.ts'

const LANES: readonly Lane[] = ['short', 'remote', 'long']

/** The places of one lane that a consumer has. */
export interface LaneSlots {
  readonly lane: Lane
  readonly size: number
  taken: number
  /** Looks for jobs in a row that found only what another consumer was taking. */
  misses: number
}

/** A consumer's places, lane by lane. @throws {RangeError} for a number of places that is no integer of at least 1 */
export function laneSlots(concurrency: ConsumeOptions['concurrency']): readonly LaneSlots[] {
  return LANES.map((lane) => {
    const size = typeof concurrency === 'number' ? concurrency : concurrency[lane]
    if (!Number.isInteger(size) || size < 1) throw new RangeError('The concurrency is an integer of at least 1')
    return { lane, size, taken: 0, misses: 0 }
  })
}
