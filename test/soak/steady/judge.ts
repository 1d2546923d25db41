import { figuresOf, shown, type Sample } from '../figures.ts'
import { MEASURES, minutesOf, type Recording } from './recording.ts'

/** A judgement of a soak. */
export interface Verdict {
  readonly what: string
  readonly figure: string
  readonly isGood: boolean
}

/** In MiB, or in pieces, a minute. */
const MOST_GROWTH = 0.2
const MOST_SLOWDOWN = 1.3
/** A p99 below this is not slow, whatever it was before: it is the scheduler of a machine. */
const FLOOR_MS = 10
/** Fewer calls than this have no p99. */
const LEAST_CALLS = 100
const TENTHS = 10

/**
 * Whether anything grows, or gets slower, once the first minutes are over: in these, caches fill
 * and code is compiled.
 */
export function judge(recording: Recording, warmUpMinutes: number): readonly Verdict[] {
  const minutes = minutesOf(recording).slice(warmUpMinutes)
  const growths = MEASURES.map(([measure, name, unit]) => {
    const slope = slopeOf(minutes.map(({ least }) => least[measure]))
    const of = unit === '' ? '' : ` ${unit}`
    return {
      what: `${name} a minute`,
      figure: `${slope < 0 ? '' : '+'}${slope.toFixed(3)}${of}, at most ${MOST_GROWTH}`,
      isGood: slope <= MOST_GROWTH,
    }
  })
  return [...growths, ...slowdowns(recording, warmUpMinutes)]
}

/**
 * The middle one of the slopes between each two values. Single minutes do not move it, as a large
 * run or a collection that was late does that of least squares.
 */
export function slopeOf(values: readonly number[]): number {
  // A single value, or a minute without a look, says nothing about growth: that is a fault too.
  if (!values.every(Number.isFinite)) return Number.NaN
  const slopes = values
    .flatMap((value, index) =>
      values.slice(index + 1).map((later, distance) => (later - value) / (distance + 1)),
    )
    .toSorted((a, b) => a - b)
  const middle = slopes.length / 2
  const [low, high] = [slopes[Math.ceil(middle) - 1], slopes[Math.floor(middle)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** Whether calls of each kind still end in the second half: a call that hangs is in no other figure. */
export function judgeKinds(
  { from, until, samples }: Recording,
  expected: readonly string[],
): Verdict {
  const counts = [...Map.groupBy(samples, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${kind} ${length}`,
  )
  const middle = from + (until - from) / 2
  const late = new Set(samples.filter(({ at, ms }) => at + ms >= middle).map(({ kind }) => kind))
  const missing = expected.filter((kind) => !late.has(kind))
  const none = missing.length === 0 ? '' : `; none in the second half: ${missing.join(', ')}`
  return { what: 'kinds of calls', figure: counts.join(', ') + none, isGood: none === '' }
}

/** The last tenth of the calls beside the first: all of them, and each kind that has enough. */
function slowdowns(recording: Recording, warmUpMinutes: number): readonly Verdict[] {
  const from = recording.from + warmUpMinutes * 60_000
  const tenth = (recording.until - from) / TENTHS
  const first = recording.samples.filter((call) => call.at >= from && call.at < from + tenth)
  const last = recording.samples.filter((call) => call.at >= recording.until - tenth)
  const kinds = [...new Set(last.map(({ kind }) => kind))].toSorted()
  const verdictOf = (name: string, pick: (sample: Sample) => boolean): Verdict | null => {
    const [before, after] = [figuresOf(first.filter(pick)), figuresOf(last.filter(pick))]
    if (before.count < LEAST_CALLS || after.count < LEAST_CALLS) return null
    const ratio = after.p99 / before.p99
    return {
      what: `p99 of ${name}`,
      figure: `${timeOf(before.p99)}, then ${timeOf(after.p99)}: × ${ratio.toFixed(2)}, at most ${MOST_SLOWDOWN}`,
      isGood: after.p99 <= FLOOR_MS || ratio <= MOST_SLOWDOWN,
    }
  }
  const all = verdictOf('all honest calls', () => true)
  return [
    all ?? { what: 'p99 of all honest calls', figure: 'too few calls', isGood: false },
    ...kinds.flatMap((kind) => verdictOf(kind, (sample) => sample.kind === kind) ?? []),
  ]
}

/** With its unit, which long times have by themselves. */
function timeOf(ms: number): string {
  const text = shown(ms)
  return text.endsWith('s') ? text : `${text} ms`
}
