/** Units of a calendar. */
export type Granularity = 'hour' | 'day' | 'month'

/** One unit of a calendar; `end` is exclusive. Unix milliseconds. */
export interface CalendarUnit {
  readonly start: number
  readonly end: number
  /**
   * As the clocks of the zone have it: `2030-03`, `2030-03-31`, or `2030-03-31T02:00+02:00` for an
   * hour.
   */
  readonly label: string
}

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * The calendar of a time zone. All that it gives lies on quarter hours, as every zone's offset
 * does.
 */
export class LocalCalendar {
  readonly #format: Intl.DateTimeFormat

  /** @throws {RangeError} for what is no IANA name */
  constructor(timeZone: string) {
    if (/^[+-]/.test(timeZone)) throw new RangeError('is an offset')
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  }

  /** When a date begins there: the first moment of it, where midnight is left out. `month` from 0. */
  startOf(year: number, month: number, day: number): number {
    const wanted = Date.UTC(year, month, day)
    const [before, after] = [this.#offset(wanted - DAY), this.#offset(wanted + DAY)]
    if (before === after) return wanted - before
    let [low, high] = [wanted - DAY, wanted + DAY]
    while (high - low > QUARTER) {
      const middle = low + Math.floor((high - low) / QUARTER / 2) * QUARTER
      if (this.#offset(middle) === before) low = middle
      else high = middle
    }
    return wanted - before < high ? wanted - before : Math.max(high, wanted - after)
  }

  /** The units that have a part in `[from, to)`, cut to it; at most `most + 1` of them. */
  units(granularity: Granularity, from: number, to: number, most: number): CalendarUnit[] {
    const units: CalendarUnit[] = []
    for (let start = from; start < to && units.length <= most;) {
      const end = Math.min(to, this.#endOf(granularity, start))
      units.push({ start, end, label: this.#label(granularity, start) })
      start = end
    }
    return units
  }

  /** The date of a time there, as `[year, month from 0, day]`. */
  dateOf(at: number): [number, number, number] {
    const local = new Date(at + this.#offset(at))
    return [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  }

  #endOf(granularity: Granularity, at: number): number {
    if (granularity === 'hour') return this.#endOfHour(at)
    const [year, month, day] = this.dateOf(at)
    for (let more = 1; ; more++) {
      const end =
        granularity === 'day'
          ? this.startOf(year, month, day + more)
          : this.startOf(year, month + more, 1)
      // A date that a zone has left out has no length.
      if (end > at) return end
    }
  }

  /** An hour ends where its minutes do, or where clocks are changed. */
  #endOfHour(at: number): number {
    const offset = this.#offset(at)
    const full = at + HOUR - ((at + offset) % HOUR)
    for (let end = at + QUARTER; end < full; end += QUARTER)
      if (this.#offset(end) !== offset) return end
    return full
  }

  #label(granularity: Granularity, at: number): string {
    const offset = this.#offset(at)
    const local = new Date(at + offset).toISOString()
    if (granularity === 'month') return local.slice(0, 7)
    if (granularity === 'day') return local.slice(0, 10)
    return `${local.slice(0, 16)}${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`
  }

  #offset(at: number): number {
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(at)) parts[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / MINUTE) * MINUTE
  }
}
