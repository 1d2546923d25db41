import { decodeTime, encodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Makes ids such as `task_01J8Z…`: a prefix and a ULID, so that ids of one kind sort by the time
 * they were made.
 */
export type Ids = (prefix: string) => string

/**
 * The generator takes one number a character; asking the runtime for each would cost more than the
 * id.
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
 * Sorts before every id of a kind that is made at a time (Unix milliseconds), and after earlier
 * ones.
 */
export function idBound(prefix: string, time: number): string {
  return `${prefix}_${encodeTime(time)}`
}

/** When an id was made, in Unix milliseconds; `null`: it was not made here. */
export function timeOfId(id: string): number | null {
  const ulid = id.slice(id.lastIndexOf('_') + 1)
  return isValid(ulid) ? decodeTime(ulid) : null
}
