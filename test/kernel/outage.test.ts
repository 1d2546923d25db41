import { expect, it } from 'vitest'
import { Outage } from '../../src/kernel/outage.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../src/kernel/failures.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

/** A clock, and a logger that collects its lines. */
function open() {
  const clock = createFakeClock()
  const lines: unknown[][] = []
  const log =
    (level: string) =>
    (...said: unknown[]) =>
      void lines.push([level, ...said])
  return { clock, lines, logger: { debug() {}, info() {}, warn: log('warn') } }
}

it('the first failure, one failure each minute, and the end of an outage are logged', async () => {
  const { clock, lines, logger } = open()
  const outage = new Outage(clock, logger, { failing: 'It fails', over: 'It works' })
  outage.worked()
  for (let second = 0; second < 130; second++) {
    outage.failed(new Error('away'))
    await clock.advance(1_000)
  }
  outage.worked()
  outage.worked()
  outage.failed('again')
  expect(lines).toEqual([
    ['warn', 'It fails; trying again', { error: 'Error: away' }],
    ['warn', 'It fails; trying again', { error: 'Error: away', failures: 61 }],
    ['warn', 'It fails; trying again', { error: 'Error: away', failures: 121 }],
    ['warn', 'It works', { seconds: 130, failures: 130 }],
    ['warn', 'It fails; trying again', { error: 'again' }],
  ])
})

it('a worker whose store is away logs it a few times, and logs when it is back', async () => {
  const { clock, lines, logger } = open()
  const base = createMemoryStore({ clock })
  let isAway = false
  const unlessAway =
    <A, R>(call: (args: A) => Promise<R>) =>
    (args: A): Promise<R> =>
      isAway ? Promise.reject(new StoreFailure('unreachable')) : call(args)
  const { worker } = createPlatform({
    clock,
    logger: { ...logger, error: logger.warn },
    store: {
      get: unlessAway((keys: Parameters<typeof base.get>[0]) => base.get(keys)),
      list: unlessAway((range: Parameters<typeof base.list>[0]) => base.list(range)),
      commit: unlessAway((change: Parameters<typeof base.commit>[0]) => base.commit(change)),
      close: () => base.close(),
    },
    worker: { share: 2 },
  })
  const stop = new AbortController()
  const running = worker.run({ signal: stop.signal })
  await clock.advance(5_000)
  lines.length = 0
  isAway = true
  await clock.advance(150_000)
  expect(lines.length).toBeGreaterThan(0)
  // Three loops read the store, and each logs once a minute.
  expect(lines.length).toBeLessThanOrEqual(9)
  expect(lines.every(([level]) => level === 'warn')).toBe(true)
  lines.length = 0
  isAway = false
  await clock.advance(60_000)
  expect(lines.map(([level, message]) => [level, message]).toSorted()).toEqual([
    ['warn', 'Requests for helpers are read again'],
    ['warn', 'The outbox is processed again'],
    ['warn', 'The queue reads its jobs again'],
  ])
  stop.abort()
  await clock.runUntil(running)
})
