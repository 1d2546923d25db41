import { expect, test } from 'vitest'
import type { Sample } from '../figures.ts'
import { judge, judgeKinds, slopeOf } from './judge.ts'
import { pictureOf } from './picture.ts'
import type { Look, Recording } from './recording.ts'

const MINUTE_MS = 60_000
const MINUTES = 22
const WARM_UP = 2

interface Planted {
  /** In MiB a minute. */
  readonly leak?: Partial<Record<'rssMb' | 'heapMb' | 'handles' | 'timers' | 'redisMb', number>>
  /** By how much calls are slower at the end. */
  readonly slower?: number
}

/** A soak with a busy start and the planted growth. The garbage collector makes its memory a saw. */
function recorded({ leak = {}, slower = 1 }: Planted = {}): Recording {
  const until = MINUTES * MINUTE_MS
  const looks = Array.from({ length: MINUTES * 60 }, (_, second): Look => {
    const minute = second / 60
    const warm = minute < WARM_UP ? minute * 30 : WARM_UP * 30
    const tooth = second % 17
    const grown = (measure: keyof typeof leak): number => (leak[measure] ?? 0) * minute
    return {
      at: second * 1_000,
      rssMb: 140 + warm + tooth * 2 + grown('rssMb'),
      heapMb: 40 + warm / 2 + tooth + grown('heapMb'),
      handles: 12 + (second % 7) + grown('handles'),
      files: 30 + (second % 5),
      timers: 9 + (second % 3) + grown('timers'),
      walMb: Math.min(4, minute * 4),
      redisMb: 2 + grown('redisMb'),
    }
  })
  const samples = Array.from({ length: MINUTES * 600 }, (_, index): Sample => {
    const began = index * 100
    const later = 1 + (slower - 1) * (began / until)
    return { kind: 'public GET', at: began, ms: (20 + (index % 23)) * later, error: null }
  })
  return { from: 0, until, looks, samples }
}

const failed = (planted: Planted): string[] =>
  judge(recorded(planted), WARM_UP)
    .filter(({ isGood }) => !isGood)
    .map(({ what }) => what)

test('a soak that grows at its start alone passes', () => {
  expect(failed({})).toEqual([])
})

test('a planted leak fails, by its name', () => {
  expect(failed({ leak: { heapMb: 0.25, rssMb: 0.25 } })).toEqual(['RSS a minute', 'heap a minute'])
  expect(failed({ leak: { heapMb: 0.15 } })).toEqual([])
  expect(failed({ leak: { handles: 1 } })).toEqual(['handles a minute'])
  expect(failed({ leak: { timers: 1 } })).toEqual(['timers a minute'])
  expect(failed({ leak: { redisMb: 0.3 } })).toEqual(['Redis a minute'])
})

test('a planted slowdown fails', () => {
  expect(failed({ slower: 1.5 })).toEqual(['p99 of all honest calls', 'p99 of public GET'])
  expect(failed({ slower: 1.2 })).toEqual([])
})

test('one bad minute does not make a slope, and too little does not pass', () => {
  expect(slopeOf([10, 10, 90, 10, 10, 10])).toBe(0)
  expect(slopeOf([3])).toBeNaN()
  expect(slopeOf([10, 10, Infinity, 10, 10, 10])).toBeNaN()
  const { looks, samples } = recorded()
  const brief = judge(
    { from: 0, until: 3 * MINUTE_MS, looks, samples: samples.slice(0, 9) },
    WARM_UP,
  )
  expect(brief.every(({ isGood }) => !isGood)).toBe(true)
})

test('a kind of call that no longer ends fails', () => {
  const call = (kind: string, moment: number): Sample => ({
    kind,
    at: moment,
    ms: 1_000,
    error: null,
  })
  const samples = [call('run', 1_000), call('run', 99_500), call('stream', 98_000)]
  const recording = { from: 0, until: 200_000, looks: [], samples }
  expect(judgeKinds(recording, ['run'])).toMatchObject({ figure: 'run 2, stream 1', isGood: true })
  expect(judgeKinds(recording, ['run', 'stream', 'page'])).toMatchObject({
    figure: 'run 2, stream 1; none in the second half: stream, page',
    isGood: false,
  })
})

test('the picture has a curve for each measure', () => {
  const svg = pictureOf(recorded({ leak: { heapMb: 0.3 } }), WARM_UP, 'A soak of 1 < 2 stores')
  expect(svg.match(/<polyline /g)).toHaveLength(9)
  expect(svg).toContain('A soak of 1 &lt; 2 stores')
  expect(svg).not.toMatch(/NaN|Infinity|undefined/)
})
