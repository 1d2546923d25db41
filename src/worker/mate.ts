import type { Place } from './capacity.ts'

/** Tasks that a helper may have for each that it does: the others bridge the way through the store. */
export const AHEAD = 3

/** A process of a crew, as the holder of the fence sees it. */
export interface Mate extends Place {
  /** `null`: the holder itself. */
  readonly hand: string | null
  /** Number of the next errand. */
  given: number
  /** Number of the next report. */
  read: number
}

/** A process that has nothing to do yet. */
export function createMate(hand: string | null, given = 0): Mate {
  return { hand, ahead: hand === null ? 1 : AHEAD, out: 0, hosts: 0, lanes: 0, given, read: 0 }
}
