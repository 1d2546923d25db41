import { expect, it } from 'vitest'
import { Outage } from '../../src/kernel/outage.ts'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../src/kernel/failures.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { through } from '../support/stores/fault-store.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

/** A clock, and a logger that collects its lines. */
function open() {
  const clock = createFakeClock()
  const lines: unknown[][] = []
  const log =
    (level: string) =>
    (...words: unknown[]) =>
      void lines.push([level, ...words])
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

const AWAY = 'The store cannot be reached; trying again'

it('an outage of a store is logged after one that all its loops have left', () => {
  const { clock, lines, logger } = open()
  const loopOf = () => new Outage(clock, logger, { failing: 'It fails', over: 'It works' })
  const [first, second] = [loopOf(), loopOf()]
  first.failed(new StoreFailure('unreachable'))
  second.failed(new StoreFailure('unreachable'))
  first.ended()
  // The second still tries.
  loopOf().failed(new StoreFailure('unreachable'))
  expect(lines).toHaveLength(1)
  second.worked()
  expect(lines[1]?.[1]).toBe('The store can be reached again')
  second.failed(new StoreFailure('unreachable'))
  second.ended()
  lines.length = 0
  loopOf().failed(new StoreFailure('unreachable'))
  expect(lines.map(([, message]) => message)).toEqual([AWAY])
})

it('an outage of a store of which nobody said the end is another after ten minutes', async () => {
  const { clock, lines, logger } = open()
  const outage = new Outage(clock, logger, { failing: 'It fails', over: 'It works' })
  const fails = () => outage.failed(new StoreFailure('unreachable'))
  fails()
  await clock.advance(9 * 60_000)
  fails()
  expect(lines).toHaveLength(1)
  await clock.advance(25 * 3_600_000)
  fails()
  await clock.advance(7_000)
  outage.worked()
  expect(lines.slice(1).map(([, message, fields]) => [message, fields])).toEqual([
    [AWAY, { error: String(new StoreFailure('unreachable')) }],
    ['The store can be reached again', { seconds: 7, failures: 1 }],
  ])
})

/** A platform whose store fails as `failure` says, and whose `close` leaves the store as it is. */
function openFailing(more: { operator?: boolean; worker?: { share: number } } = {}) {
  const { clock, lines, logger } = open()
  const base = createMemoryStore({ clock })
  const state = { failure: new Error(), fails: false, calls: 0, logs: true }
  const unlessFailing =
    <A, R>(call: (args: A) => Promise<R>) =>
    (args: A): Promise<R> => {
      state.calls++
      return state.fails ? Promise.reject(state.failure) : call(args)
    }
  const warn = (...words: unknown[]) => {
    if (!state.logs) throw new Error('The log is full')
    logger.warn(...words)
  }
  const platform = createPlatform({
    clock,
    ...more,
    authenticators: [async () => ({ account: 'a', user: 'u', scopes: ['*'] })],
    logger: { ...logger, warn, error: warn },
    store: {
      get: unlessFailing((keys: Parameters<typeof base.get>[0]) => base.get(keys)),
      list: unlessFailing((range: Parameters<typeof base.list>[0]) => base.list(range)),
      commit: unlessFailing((change: Parameters<typeof base.commit>[0]) => base.commit(change)),
      close: async () => {},
    },
  })
  const call = () => platform.fetch(new Request('https://host.example/api/v1/executions/exec_1'))
  const fail = (failure: Error = new StoreFailure('unreachable')) =>
    Object.assign(state, { failure, fails: true })
  const messages = () => lines.splice(0).map(([, message]) => message)
  return { clock, platform, state, call, fail, messages }
}

it('a store that stops a worker by its outage is logged when the next worker loses it', async () => {
  const { clock, platform, state, fail, messages } = openFailing({
    operator: true,
    worker: { share: 2 },
  })
  const work = async (during: () => void) => {
    const stop = new AbortController()
    const running = platform.worker.run({ signal: stop.signal })
    await clock.advance(5_000)
    // The outage before was left, and is not ended by who comes later.
    expect(messages()).not.toContain('The store can be reached again')
    during()
    await clock.advance(5_000)
    stop.abort()
    await clock.runUntil(running)
  }
  await work(() => fail())
  expect(messages()).toEqual([AWAY])
  state.fails = false
  await work(() => fail())
  expect(messages()).toEqual([AWAY])
})

it('requests that lose a store are logged again after it has failed in another way', async () => {
  const { clock, state, call, fail, messages } = openFailing()
  messages()
  const lose = async () => {
    fail()
    expect((await call()).status).toBe(503)
    await clock.advance(5_000)
    return messages()
  }
  expect(await lose()).toEqual([AWAY])
  // It was closed.
  fail(new Error('The store is closed'))
  await clock.advance(5_000)
  expect(messages()).toEqual([])
  expect(await lose()).toEqual([AWAY])
  // It answers that it is full.
  fail(new StoreFailure('full'))
  await clock.advance(5_000)
  expect(messages()).toEqual(['The store can be reached again'])
  state.fails = false
  expect(await lose()).toEqual([AWAY])
})

it('a store is asked no more when the platform is closed', async () => {
  const { clock, platform, state, call, fail } = openFailing()
  fail()
  await call()
  await clock.advance(5_000)
  await platform.close()
  state.calls = 0
  await clock.advance(60_000)
  await call()
  const { calls } = state
  await clock.advance(60_000)
  expect(state.calls).toBe(calls)
})

it('a logger that throws ends no process, and the next request asks the store', async () => {
  const { clock, state, call, fail } = openFailing()
  const rejected: unknown[] = []
  const onRejection = (reason: unknown) => void rejected.push(reason)
  process.on('unhandledRejection', onRejection)
  try {
    fail()
    state.logs = false
    expect((await call()).status).toBe(503)
    await clock.advance(5_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejected).toEqual([])
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  state.logs = true
  await call()
  await clock.advance(1)
  state.calls = 0
  await clock.advance(5_000)
  expect(state.calls).toBeGreaterThan(0)
})

it('a store whose last stream has left is asked until it is back, and the next outage has its line', async () => {
  const { clock, platform, state, call, fail, messages } = openFailing()
  const owner = { account: 'a', user: 'u', scopes: ['*'] }
  const { id } = await platform.api.tasks.create(owner, {
    name: 'one page',
    recipe: { start: { urls: ['https://shop.example.com/'] }, extract: { fields: { name: 'h1' } } },
  })
  const execution = await platform.api.executions.start(owner, id)
  const { body } = await platform.fetch(
    new Request(`https://host.example/api/v1/executions/${execution.id}/events`),
  )
  const reader = body?.getReader()
  await reader?.read()
  await clock.advance(5_000)
  messages()
  fail()
  await clock.advance(10_000)
  expect(messages()).toEqual([AWAY])
  await reader?.cancel()
  await clock.advance(10_000)
  expect(messages()).toEqual([])
  state.fails = false
  await clock.advance(2_000)
  expect(messages()).toEqual(['The store can be reached again'])
  expect((await call()).status).toBe(404)
  fail()
  expect((await call()).status).toBe(503)
  await clock.advance(1)
  expect(messages()).toEqual([AWAY])
})

it.for([
  ['full', 'no space left'],
  ['readonly', 'read-only'],
  ['failing', 'reports errors'],
] as const)(
  'a store that takes no writes is logged once, and once when it does: %s',
  async ([reason, text]) => {
    const { clock, lines, logger } = open()
    const base = createMemoryStore({ clock })
    const files = createMemoryBlobs()
    let isStopped = { store: false, blobs: false }
    const platform = createPlatform({
      clock,
      logger: { ...logger, error: logger.warn },
      authenticators: [async () => ({ account: 'a', user: 'u', scopes: ['*'] })],
      store: through(base, (change) =>
        isStopped.store ? Promise.reject(new StoreFailure(reason)) : base.commit(change),
      ),
      blobs: {
        ...files,
        put: (name, bytes) =>
          isStopped.blobs ? Promise.reject(new StoreFailure(reason)) : files.put(name, bytes),
      },
    })
    const create = () =>
      platform.fetch(
        new Request('https://host.example/api/v1/tasks', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"recipe":{"start":{"urls":["https://a.com/"]},"extract":{"fields":{"t":"h1"}}}}',
        }),
      )
    lines.length = 0
    isStopped = { store: true, blobs: true }
    for (let times = 0; times < 3; times++) expect((await create()).status).toBe(503)
    await clock.advance(5_000)
    // The store goes on, and its blobs do not yet.
    isStopped = { store: false, blobs: true }
    await clock.advance(5_000)
    const ofStoring = () => lines.filter(([, message]) => /stored/.test(String(message)))
    expect(ofStoring()).toEqual([
      ['warn', 'Nothing can be stored; trying again', { error: expect.stringContaining(text) }],
    ])
    lines.length = 0
    isStopped = { store: false, blobs: false }
    await clock.advance(2_000)
    expect(ofStoring().map(([, message]) => message)).toEqual(['Data is stored again'])
    expect(await files.list('')).toEqual([])
    expect((await create()).status).toBe(201)
    await platform.close()
  },
)
