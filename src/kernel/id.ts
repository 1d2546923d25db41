import { decodeTime, encodeTime, isValid } from 'ulid'

/**
 * Makes ids such as `task_01J8Z…`. They are a prefix and a ULID, so ids of one kind sort by the
 * time at which they were made.
 */
export type Ids = (prefix: string) => string

/** Bytes of randomness that are drawn at once. A call of the runtime costs more than an id. */
const DRAWN = 64
/** Characters of a ULID's random part. */
const RANDOM = 16
/** Crockford's base 32, in the order of its values. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LAST = 'Z'

/**
 * Ids of one process never repeat and never go back, even within a millisecond or when the clock
 * does. Within a millisecond an id is the one before plus one. They are made here, because a
 * request makes several, and the factory of the package took longer than most checks of a request.
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
  let time = 0
  let timeText = ''
  let tail = ''
  const drawTail = (): string => {
    let text = ''
    for (let left = RANDOM; left > 0; left--) {
      if (index === drawn.length) {
        drawn = random(DRAWN)
        index = 0
      }
      text = DIGITS.charAt((drawn[index++] ?? 0) >> 3) + text
    }
    return text
  }
  return (prefix) => {
    const ms = now()
    if (ms > time || tail === '') {
      timeText = encodeTime(ms)
      time = ms
      tail = drawTail()
    } else tail = incremented(tail)
    return `${prefix}_${timeText}${tail}`
  }
}

/** The next number in base 32, of the same length. */
function incremented(text: string): string {
  let end = text.length - 1
  while (text[end] === LAST) end--
  // All 2^80 numbers of a millisecond were used.
  if (end < 0) throw new RangeError('There are no more ids of this millisecond')
  const digit = DIGITS.charAt(DIGITS.indexOf(text.charAt(end)) + 1)
  return text.slice(0, end) + digit + DIGITS.charAt(0).repeat(text.length - 1 - end)
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
