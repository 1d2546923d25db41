import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPreviewCounter } from '../../../src/features/previews/counter.ts'
import { quotasFrom } from '../../../src/features/previews/quotas.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const ann = { account: 'acme', user: 'ann', scopes: [] }
const QUOTAS = { perDay: 100, perScope: 20, urls: 5 }
const closing: Store[] = []
afterAll(async () => {
  for (const store of closing) await store.close()
})

type Ask = () => Promise<unknown>

/** The results of many calls at the same moment. */
async function burst(asks: readonly Ask[]): Promise<{ admitted: number; refused: number }> {
  const came = await Promise.all(
    asks.map((ask) =>
      ask().then(
        () => 'admitted',
        (error: unknown) =>
          error instanceof PlatformError && error.code === 'TOO_MANY_REQUESTS'
            ? 'refused'
            : Promise.reject(error),
      ),
    ),
  )
  return {
    admitted: came.filter((one) => one === 'admitted').length,
    refused: came.filter((one) => one === 'refused').length,
  }
}

const asking = (count: number, ask: (nth: number) => Promise<unknown>): Ask[] =>
  Array.from({ length: count }, (_, nth) => () => ask(nth))

/** A store whose calls take turns of the event loop, so that those of several processes meet. */
function slow(store: Store): Store {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    get: (keys) => turn().then(() => store.get(keys)),
    list: (range) => turn().then(() => store.list(range)),
    commit: (change) => turn().then(() => store.commit(change)),
    close: () => store.close(),
  }
}

const STORES: readonly [string, (clock: Clock) => Store][] = [
  ['in memory', (clock) => createMemoryStore({ clock })],
  ['in SQLite', (clock) => createSqliteStore({ path: ':memory:', clock })],
]

describe.each(STORES)('quotas of previews %s', (_, open) => {
  const start = (processes = 1) => {
    const clock = createFakeClock(Date.UTC(2030, 0, 31, 22))
    const store = open(clock)
    closing.push(store)
    const counters = Array.from({ length: processes }, () =>
      createPreviewCounter({ records: createRecords(processes > 1 ? slow(store) : store), clock }),
    )
    return {
      clock,
      store,
      counters,
      counterOf: (nth: number) => counters[nth % processes] ?? expect.fail(),
    }
  }

  it('admit exactly the number of a scope out of 500 calls at the same time', async () => {
    const { counterOf, store } = start()
    expect(await burst(asking(500, (nth) => counterOf(nth).take(ann, 'task_a', QUOTAS)))).toEqual({
      admitted: 20,
      refused: 480,
    })
    const counts = await store.list({ prefix: ['acme', 'preview-counts'], limit: 10 })
    expect(counts.map(({ value }) => value)).toEqual([
      { user: 'ann', day: '2030-01-31', scope: null, count: 20 },
      { user: 'ann', day: '2030-01-31', scope: 'task_a', count: 20 },
    ])
  })

  it('admit exactly the number of the day out of 500 calls of many scopes, in several processes', async () => {
    const { counterOf } = start(4)
    expect(
      await burst(asking(500, (nth) => counterOf(nth).take(ann, `task_${nth % 50}`, QUOTAS))),
    ).toEqual({ admitted: 100, refused: 400 })
  })

  it('count each user, each account and each scope separately', async () => {
    const { counterOf } = start()
    const ben = { ...ann, user: 'ben' }
    const other = { ...ann, account: 'globex' }
    for (const principal of [ann, ben, other]) {
      expect(
        await burst(asking(30, (nth) => counterOf(nth).take(principal, 'task_a', QUOTAS))),
      ).toEqual({ admitted: 20, refused: 10 })
      expect(
        await burst(asking(30, (nth) => counterOf(nth).take(principal, 'recipe', QUOTAS))),
      ).toEqual({ admitted: 20, refused: 10 })
    }
  })

  it('begin anew at midnight UTC, when the counts are deleted', async () => {
    const { counterOf, clock, store } = start()
    await burst(asking(20, (nth) => counterOf(nth).take(ann, 'recipe', QUOTAS)))
    await expect(counterOf(0).take(ann, 'recipe', QUOTAS)).rejects.toMatchObject({
      headers: { 'Retry-After': '7200' },
      body: {
        error: 'preview_limit_exceeded',
        message:
          "Today's 20 previews of unsaved recipes are used up; the quota resets at 2030-02-01T00:00:00.000Z",
      },
    })
    await clock.advance(2 * 3_600_000 - 1)
    await expect(counterOf(0).take(ann, 'recipe', QUOTAS)).rejects.toMatchObject({
      headers: { 'Retry-After': '1' },
    })
    await clock.advance(1)
    expect(await store.list({ prefix: ['acme', 'preview-counts'], limit: 10 })).toEqual([])
    expect(await burst(asking(25, (nth) => counterOf(nth).take(ann, 'recipe', QUOTAS)))).toEqual({
      admitted: 20,
      refused: 5,
    })
  })

  it('can be given back', async () => {
    const { counterOf } = start()
    const places = await Promise.all(
      Array.from({ length: 20 }, () => counterOf(0).take(ann, 'recipe', QUOTAS)),
    )
    await expect(counterOf(0).take(ann, 'recipe', QUOTAS)).rejects.toMatchObject({ status: 429 })
    await Promise.all(places.slice(0, 3).map(({ giveBack }) => giveBack()))
    expect(await burst(asking(10, (nth) => counterOf(nth).take(ann, 'recipe', QUOTAS)))).toEqual({
      admitted: 3,
      refused: 7,
    })
  })

  it('write nothing if there is no limit', async () => {
    const { counterOf, store } = start()
    expect(
      await burst(asking(200, (nth) => counterOf(nth).take(ann, 'recipe', quotasFrom(false)))),
    ).toEqual({ admitted: 200, refused: 0 })
    expect(await store.list({ prefix: ['acme'], limit: 10 })).toEqual([])
  })
})

it('a quota does not count as used up if the store fails', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const broken: Store = {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    close: () => store.close(),
    commit: () => Promise.reject(new Error('disk')),
  }
  const counter = createPreviewCounter({ records: createRecords(broken), clock })
  const came = await Promise.allSettled([
    counter.take(ann, 'recipe', QUOTAS),
    counter.take(ann, 'recipe', QUOTAS),
  ])
  expect(came).toEqual([
    { status: 'rejected', reason: new Error('disk') },
    { status: 'rejected', reason: new Error('disk') },
  ])
})

describe('the option of a host', () => {
  it('has a default for each quota, and can switch off each or all of them', () => {
    expect(quotasFrom()).toEqual({ perDay: 100, perScope: 20, urls: 5 })
    expect(quotasFrom({ perScope: 3 })).toEqual({ perDay: 100, perScope: 3, urls: 5 })
    expect(quotasFrom({ perDay: false, perScope: Infinity, urls: false })).toEqual({
      perDay: Infinity,
      perScope: Infinity,
      urls: Infinity,
    })
    expect(quotasFrom(false)).toEqual({ perDay: Infinity, perScope: Infinity, urls: 5 })
  })

  it('must be a number of previews', () => {
    for (const wrong of [{ perDay: -1 }, { perScope: 1.5 }, { urls: 0 }, { perDay: NaN }])
      expect(() => quotasFrom(wrong)).toThrow(RangeError)
  })
})
