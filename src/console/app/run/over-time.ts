/** Lengths of a bar in seconds, so that there are at most {@link MOST_BARS} bars. */
const STEPS = [1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400]
const MOST_BARS = 60

/** Number of pages of each outcome, by the Unix second in which the outcome was decided. */
export type Seconds = ReadonlyMap<number, Readonly<Record<string, number>>>

/** A bar: its start in Unix milliseconds, and the number of pages with each outcome. */
export interface TimeBar {
  readonly at: number
  readonly counts: Readonly<Record<string, number>>
}

/** Groups seconds into bars of equal length, oldest first, including empty bars between others. */
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
