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

it('a platform whose store is away logs it once, and once when it is back', async () => {
  const { clock, lines, logger } = open()
  const base = createMemoryStore({ clock })
  let isAway = false
  const unlessAway =
    <A, R>(call: (args: A) => Promise<R>) =>
    (args: A): Promise<R> =>
      isAway ? Promise.reject(new StoreFailure('unreachable')) : call(args)
  const { worker, fetch } = createPlatform({
    clock,
    operator: true,
    authenticators: [async () => ({ account: 'a', user: 'u', scopes: ['*'] })],
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
  const call = () => fetch(new Request('https://host.example/api/v1/tasks'))
  expect((await call()).status).toBe(503)
  await clock.advance(150_000)
  expect((await call()).status).toBe(503)
  expect(lines.map(([level, message]) => [level, message])).toEqual([
    ['warn', 'The store cannot be reached; trying again'],
  ])
  lines.length = 0
  isAway = false
  await clock.advance(60_000)
  expect(lines.map(([level, message]) => [level, message])).toEqual([
    ['warn', 'The store can be reached again'],
  ])
  stop.abort()
  await clock.runUntil(running)
})

it('a process without a worker logs a store that is away once, and asks it until it is back', async () => {
  const { clock, lines, logger } = open()
  const base = createMemoryStore({ clock })
  let isAway = true
  const platform = createPlatform({
    clock,
    logger: { ...logger, error: logger.warn },
    authenticators: [async () => ({ account: 'a', user: 'u', scopes: ['*'] })],
    store: {
      get: (keys) =>
        isAway
          ? Promise.reject(
              new StoreFailure('unreachable', { cause: new Error('connect ECONNREFUSED') }),
            )
          : base.get(keys),
      list: (range) =>
        isAway ? Promise.reject(new StoreFailure('unreachable')) : base.list(range),
      commit: (change) => base.commit(change),
      close: () => base.close(),
    },
  })
  const call = () => platform.fetch(new Request('https://host.example/api/v1/executions/exec_1'))
  lines.length = 0
  for (let times = 0; times < 3; times++) expect((await call()).status).toBe(503)
  await clock.advance(30_000)
  const [first, ...more] = lines
  expect([first, more]).toEqual([
    ['warn', 'The store cannot be reached; trying again', { error: 'connect ECONNREFUSED' }],
    [],
  ])
  isAway = false
  await clock.advance(10_000)
  expect(lines.slice(1).map(([, message]) => message)).toEqual(['The store can be reached again'])
  await platform.close()
})
