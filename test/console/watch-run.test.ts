import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SeineError } from '../../src/client.ts'
import type { Execution } from '../../src/client.ts'
import { systemClock } from '../../src/defaults/system-clock.ts'

/** The waits that have not ended. */
let waits: { ms: number; end: () => void }[] = []
/** Each line is what became of the run. */
let log: string[] = []
let left = new AbortController()
/** How the server answers: with a number of visited pages, or an error of this status. */
let answer = { pages: 0, status: 0 }
let streams = 0
let follow: () => AsyncGenerator<Execution, void>

const stateOf = (visited: number, updatedAt = '2026-01-01T00:00:00.000Z'): Execution =>
  JSON.parse(JSON.stringify({ id: 'exec_1', updatedAt, finishedAt: null, counters: { visited } }))
const errorOf = (status: number) => new SeineError('ANY', `status ${status}`, { status })
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
async function pass(ms: number): Promise<void> {
  const due = waits.filter((wait) => wait.ms === ms)
  waits = waits.filter((wait) => wait.ms !== ms)
  for (const { end } of due) end()
  await settle()
}
const waiting = () => waits.map(({ ms }) => ms).toSorted((a, b) => a - b)

beforeEach(async () => {
  waits = []
  log = []
  streams = 0
  left = new AbortController()
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('location', new URL('http://console.example/'))
  vi.spyOn(systemClock, 'sleep').mockImplementation(
    (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', reject)
        waits.push({ ms, end: resolve })
      }),
  )
  const { client } = await import('../../src/console/app/session.ts')
  vi.spyOn(client.value.executions, 'get').mockImplementation(async () => {
    if (answer.status !== 0) throw errorOf(answer.status)
    return stateOf(answer.pages)
  })
  vi.spyOn(client.value.executions, 'follow').mockImplementation(() => {
    streams++
    return follow()
  })
})
afterEach(() => left.abort())

async function watch(): Promise<void> {
  const { watchRun } = await import('../../src/console/app/run/watch-run.ts')
  void watchRun('exec_1', {
    signal: left.signal,
    onState: ({ counters }) => log.push(`visited ${counters.visited}`),
    onLost: (message) => log.push(message),
  })
  await settle()
}

test('a stream that a proxy cuts is asked for again after a pause', async () => {
  follow = async function* () {
    yield stateOf(streams)
    throw errorOf(502)
  }
  await watch()
  expect([streams, log]).toEqual([1, ['visited 1', 'status 502']])
  expect(waiting()).toEqual([3_000, 10_000])
  await pass(3_000)
  expect([streams, log.at(-2)]).toEqual([2, 'visited 2'])
  left.abort()
  await pass(3_000)
  expect(streams).toBe(2)
})

test('a run is asked for again after each error, also if its events are refused', async () => {
  follow = async function* () {
    if (streams > 0) throw errorOf(429)
    yield stateOf(0)
  }
  await watch()
  for (const status of [500, 500, 429, 502, 504]) {
    answer = { pages: 0, status }
    await pass(10_000)
    expect(log.at(-1)).toBe(`status ${status}`)
  }
  answer = { pages: 7, status: 0 }
  await pass(10_000)
  expect(log.at(-1)).toBe('visited 7')
  expect([streams, waiting()]).toEqual([1, [10_000]])
  left.abort()
  await pass(10_000)
  expect(log.at(-1)).toBe('visited 7')
})

test('the state with more pages is the later one of two with the same status', async () => {
  const { newest } = await import('../../src/console/app/run/watch-run.ts')
  const [few, more, later] = [stateOf(1), stateOf(2), stateOf(0, '2026-01-01T00:00:01.000Z')]
  for (const [state, other] of [
    [few, more],
    [more, few],
  ] as const)
    expect(newest(state, other)).toBe(more)
  expect(newest(more, later)).toBe(later)
  expect(newest(later, more)).toBe(later)
  expect(newest(few, stateOf(1))).toBe(few)
})

test('the speed is that of the last minute, without the time of an outage', async () => {
  const { recentCounts, speedOf } = await import('../../src/console/app/run/watch-run.ts')
  const speedAfter = (...counts: readonly (readonly [seconds: number, pages: number])[]) =>
    speedOf(
      counts.reduce<ReturnType<typeof recentCounts>>(
        (before, [seconds, pages]) => recentCounts(before, { time: seconds * 1_000, pages }),
        [],
      ),
    )
  expect(speedAfter([0, 10])).toBeNull()
  expect(speedAfter([0, 10], [5, 20])).toBe(2)
  expect(speedAfter([0, 10], [5, 20], [5, 20])).toBe(2)
  // Nothing has come since.
  expect(speedAfter([0, 10], [5, 20], [10, 20])).toBe(1)
  expect(speedAfter([0, 10], [5, 20], [40, 20])).toBe(0.25)
  expect(speedAfter([0, 10], [5, 20], [40, 20], [65, 20])).toBe(0)
  // The server was away for ten minutes.
  expect(speedAfter([0, 10], [5, 20], [605, 30])).toBeNull()
  expect(speedAfter([0, 10], [5, 20], [605, 30], [615, 40])).toBe(1)
})

test('the speed of a run that was cancelled before it began is not known', async () => {
  const { wholeSpeed } = await import('../../src/console/app/run/watch-run.ts')
  const { counters } = stateOf(30)
  const finishedAt = '2026-01-01T00:00:10.000Z'
  expect(wholeSpeed({ startedAt: null, finishedAt, counters })).toBeNull()
  expect(wholeSpeed({ startedAt: '2026-01-01T00:00:00.000Z', finishedAt, counters })).toBe(3)
})
