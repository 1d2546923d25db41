/** Seconds of a bar, so that there are at most {@link MOST_BARS} of them. */
const STEPS = [1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400]
const MOST_BARS = 60

/** Pages by the second in which their outcome was decided, in Unix seconds: how many of each. */
export type Seconds = ReadonlyMap<number, Readonly<Record<string, number>>>

/** A bar: from when, in Unix milliseconds, and how many pages had each outcome. */
export interface TimeBar {
  readonly at: number
  readonly counts: Readonly<Record<string, number>>
}

/** Puts seconds together to bars of equal length, oldest first, with those between that are empty. */
export function barsOf(seconds: Seconds): readonly TimeBar[] {
  if (seconds.size === 0) return []
  let [first, last] = [Infinity, -Infinity]
  for (const second of seconds.keys()) {
    first = Math.min(first, second)
    last = Math.max(last, second)
  }
  const step =
    STEPS.find((ms) => Math.floor(last / ms) - Math.floor(first / ms) < MOST_BARS) ??
    Math.ceil((last - first + 1) / (MOST_BARS - 1))
  const start = Math.floor(first / step)
  const bars = Array.from({ length: Math.floor(last / step) - start + 1 }, (_, index) => ({
    at: (start + index) * step * 1_000,
    counts: {} as Record<string, number>,
  }))
  for (const [second, counts] of seconds) {
    const bar = bars[Math.floor(second / step) - start]
    for (const [name, count] of Object.entries(counts))
      if (bar !== undefined) bar.counts[name] = (bar.counts[name] ?? 0) + count
  }
  return bars
}
