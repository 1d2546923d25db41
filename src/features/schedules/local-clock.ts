const MINUTE = 60_000
/** A time in ms in which a clock is set back or forward at most once, and by less than this time. */
const AROUND = 26 * 60 * MINUTE

/**
 * The clock of a time zone. A local time is written as the Unix milliseconds at which a clock in
 * UTC would show it.
 */
export class LocalClock {
  readonly #format: Intl.DateTimeFormat

  /** @throws {RangeError} for an unknown zone */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** The local time at a moment. */
  at(time: number): number {
    return time + this.#offset(time)
  }

  /**
   * The latest local time that the clock has shown up to a moment. It may have been set back since
   * then.
   */
  latest(time: number): number {
    const change = this.#changeIn(time - AROUND, time)
    return Math.max(
      this.at(time),
      change === null ? -Infinity : change + this.#offset(change - 1) - 1,
    )
  }

  /**
   * The first moment at which the clock shows a local time or a later one. For a time that occurs
   * twice it is the first occurrence, and for a time that is left out it is the moment of the
   * change.
   */
  firstOf(local: number): number {
    const change = this.#changeIn(local - AROUND, local + AROUND)
    if (change === null) return local - this.#offset(local)
    const early = local - this.#offset(change - 1)
    return early < change ? early : Math.max(change, local - this.#offset(change))
  }

  /** The moments at which the clock shows a local time. There are none, one or two. */
  allOf(local: number): readonly number[] {
    const change = this.#changeIn(local - AROUND, local + AROUND)
    if (change === null) return [local - this.#offset(local)]
    const early = local - this.#offset(change - 1)
    const late = local - this.#offset(change)
    return [...(early < change ? [early] : []), ...(late >= change ? [late] : [])]
  }

  /** The time in ms by which the clock is set back around a moment. 0: it is not set back. */
  setBackNear(time: number): number {
    return Math.max(0, this.#offset(time - AROUND) - this.#offset(time + AROUND))
  }

  /** The moment at which the clock is changed within a span. `null`: it is not changed. */
  #changeIn(from: number, to: number): number | null {
    const before = this.#offset(from)
    if (before === this.#offset(to)) return null
    let [low, high] = [from, to]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#offset(middle) === before) low = middle
      else high = middle
    }
    return high
  }

  /** The time in ms by which the clock is ahead of UTC at a moment. */
  #offset(time: number): number {
    const shown = new Map(
      this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    )
    const part = (name: Intl.DateTimeFormatPartTypes) => shown.get(name) ?? 0
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    )
    return local - Math.floor(time / 1_000) * 1_000
  }
}
