import { decodeTime, encodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Makes ids such as `task_01J8Z…`. They are a prefix and a ULID, so ids of one kind sort by the
 * time at which they were made.
 */
export type Ids = (prefix: string) => string

/**
 * The generator needs one number for each character. To get each of them from the runtime would
 * cost more than the rest of the id.
 */
const DRAWN = 64

/**
 * Ids of one process never repeat and never go back, even within a millisecond or when the clock
 * does.
 */
export function createIds({
  now,
  random,
}: {
  /** Unix milliseconds. */
  readonly now: () => number
  readonly random: (length: number) => Uint8Array
}): Ids {
  let drawn: Uint8Array = new Uint8Array()
  let index = 0
  const ulid = monotonicFactory(() => {
    if (index === drawn.length) {
      drawn = random(DRAWN)
      index = 0
    }
    return (drawn[index++] ?? 0) / 256
  })
  return (prefix) => `${prefix}_${ulid(now())}`
}

/**
 * A bound for ids of a kind: it sorts before all that are made at a time (Unix milliseconds) or
 * later, and after all earlier ones.
 */
export function idBound(prefix: string, time: number): string {
  return `${prefix}_${encodeTime(time)}`
}

/**
 * The time at which an id was made, in Unix milliseconds. `null`: it does not have the form of
 * these ids.
 */
export function timeOfId(id: string): number | null {
  const ulid = id.slice(id.lastIndexOf('_') + 1)
  return isValid(ulid) ? decodeTime(ulid) : null
}
