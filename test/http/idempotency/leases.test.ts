import * as v from 'valibot'
import { expect, test } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { commitWithPreconditions } from '../../../src/features/common/commit-with-preconditions.ts'
import { createHttp } from '../../../src/http/handler.ts'
import { createIdempotency } from '../../../src/http/idempotency.ts'
import { createSealedAnswers } from '../../../src/http/sealed-answers.ts'
import { createCore } from '../../../src/platform/core.ts'
import { defineRoute } from '../../../src/kernel/http/route.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

/** A write whose length the test controls, on a store that may fail. */
function open(workMs: number, wrap: (store: Store) => Store = (store) => store) {
  const clock = createFakeClock()
  const random = seededRandom()
  const store = wrap(createMemoryStore({ clock }))
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const core = createCore({ store, blobs: createMemoryBlobs(), clock, random, logger: silent })
  const { records } = core
  let effects = 0
  let onBegun = () => {}
  const route = defineRoute({
    method: 'POST',
    path: '/api/v1/slow',
    operation: 'slow.create',
    summary: '',
    scope: 'tasks:write',
    limit: null,
    body: v.strictObject({ fail: v.optional(v.boolean()) }),
    data: async () => v.strictObject({ n: v.number() }),
    async handler({ body, preconditions }) {
      onBegun()
      await clock.sleep(workMs)
      if (body.fail) throw new Error('no')
      const data = { n: effects + 1 }
      const change = new Change()
      records.secrets.put(change, '~', { name: `effect-${data.n}`, value: '' })
      if (!(await commitWithPreconditions(records, change, preconditions, data)))
        throw new Error('the reservation was lost')
      effects++
      return data
    },
  })
  const http = createHttp({
    routes: [route],
    limiter: null,
    logger: silent,
    ids: core.ids,
    clock,
    idempotency: createIdempotency(
      core,
      createSealedAnswers(async () => new Uint8Array(32), random),
    ),
    authenticators: [async () => ({ account: 'acme', user: 'ann', scopes: ['*'] })],
  })
  const ask = async (body = {}) => {
    const response = await http(
      new Request('http://host.test/api/v1/slow', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
        body: JSON.stringify(body),
      }),
    )
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed'),
      text: await response.text(),
    }
  }
  /** Sends the call, and resolves once the operation runs. */
  const begin = async (body = {}) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    onBegun = resolve
    const answer = ask(body)
    await promise
    return { answer }
  }
  return { clock, ask, begin, effects: () => effects }
}

test('a repetition of a write of minutes is 409 while it runs, and later gets its answer', async () => {
  const { clock, ask, begin, effects } = open(600_000)
  const { answer: first } = await begin()
  for (let minute = 0; minute < 9; minute++) {
    await clock.advance(60_000)
    expect((await ask()).status).toBe(409)
  }
  await clock.advance(60_000)
  const answer = await first
  expect(answer.status).toBe(200)
  expect(await ask()).toEqual({ ...answer, replayed: 'true' })
  expect(effects()).toBe(1)
  expect(clock.sleeping).toBe(0)
})

test('after a write that fails after minutes the next try begins at once', async () => {
  const { clock, begin } = open(200_000)
  const { answer: first } = await begin({ fail: true })
  await clock.advance(200_000)
  expect((await first).status).toBe(500)
  const { answer: second } = await begin()
  await clock.advance(200_000)
  expect((await second).status).toBe(200)
  expect(clock.sleeping).toBe(0)
})

test('an operation that hangs for ever loses its key after an hour', async () => {
  const { clock, ask, begin } = open(100 * 3_600_000)
  await begin()
  await clock.advance(3_600_000)
  expect((await ask()).status).toBe(409)
  await clock.advance(60_000)
  await begin()
})

test('a renewal whose answer is lost has no effect on the write, whether it was written or not', async () => {
  for (const isWritten of [true, false]) {
    let commits = 0
    const { clock, ask, begin, effects } = open(130_000, (inner) => ({
      get: (keys) => inner.get(keys),
      list: (range) => inner.list(range),
      close: () => inner.close(),
      async commit(change) {
        // The first reserves, the last has the effect.
        const isLost = [2, 4].includes(++commits)
        const outcome = isLost && !isWritten ? true : await inner.commit(change)
        if (isLost) throw new Error('connection reset')
        return outcome
      },
    }))
    const { answer: first } = await begin()
    await clock.advance(130_000)
    expect((await first).status).toBe(200)
    expect((await ask()).replayed).toBe('true')
    expect([effects(), commits]).toEqual([1, 8])
  }
})

test('a commit that begins while the reservation is being renewed waits for it', async () => {
  const { clock, begin, effects } = open(20_000, (inner) => ({
    get: (keys) => inner.get(keys),
    list: (range) => inner.list(range),
    close: () => inner.close(),
    async commit(change) {
      const isRenewal = clock.now() % 60_000 === 20_000 && (change.set?.length ?? 0) === 1
      const outcome = await inner.commit(change)
      if (isRenewal) await clock.sleep(500)
      return outcome
    },
  }))
  const { answer: first } = await begin()
  await clock.advance(20_000)
  await clock.advance(1_000)
  expect((await first).status).toBe(200)
  expect(effects()).toBe(1)
})
