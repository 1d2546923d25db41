import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const recipe = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }

/** A platform whose account has run a recipe to its end. */
async function openShop() {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const platform = createPlatform({
    store,
    blobs,
    fetcher: createFakeWeb({ [SITE]: '<h1>Shop</h1>' }),
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const work = () => clock.runUntil(platform.worker.tick())
  const task = await platform.api.tasks.create(OWNER, { name: 'shop', recipe })
  const run = async () => {
    const { id } = await platform.api.executions.start(OWNER, task.id)
    await work()
    return id
  }
  return { clock, store, blobs, platform, work, run, records: createRecords(store) }
}

it('a deleted execution is 404, its data is erased later, and its ledger entries stay', async () => {
  const { clock, store, blobs, platform, work, run, records } = await openShop()
  const [deletedId, stays] = [await run(), await run()]
  const entries = await records.ledger.list('acme', { limit: 100 })
  const balance = await platform.api.billing.balance(OWNER)
  expect(await platform.api.executions.delete(OWNER, deletedId)).toEqual({
    id: deletedId,
    deleted: true,
  })
  for (const read of [
    () => platform.api.executions.get(OWNER, deletedId),
    () => platform.api.executions.pages(OWNER, deletedId),
    () => platform.api.results.list(OWNER, deletedId),
    () => platform.api.executions.delete(OWNER, deletedId),
  ])
    await expect(read()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await platform.verify()).differences).toEqual([])
  // A worker with a current page may still write a blob that no commit names.
  expect(await blobs.list(`rows/${deletedId}/`)).not.toEqual([])
  await blobs.put(`rows/${deletedId}/late.jsonl`, new Uint8Array(1))

  await clock.advance(600_000)
  await work()
  expect(await blobs.list(`rows/${deletedId}/`)).toEqual([])
  const traces = (await store.list({ prefix: ['acme'], limit: 10_000 })).filter(({ key }) =>
    key.slice(2).includes(deletedId),
  )
  expect([...new Set(traces.map(({ key }) => key[1]))].toSorted()).toEqual(['ledger/execution'])
  expect(await records.ledger.list('acme', { limit: 100 })).toEqual(entries)
  expect(await platform.api.billing.balance(OWNER)).toEqual(balance)
  expect((await platform.api.results.list(OWNER, stays)).items).toHaveLength(1)
  expect((await platform.verify()).differences).toEqual([])
})

it('a deleted execution can still be refunded, but never more than its cost', async () => {
  const { clock, platform, work, run } = await openShop()
  const id = await run()
  const { billing, executions } = platform.api
  const refund = (name: string, rest: { seq?: number; credits?: number } = {}) =>
    billing.refund('acme', { id: name, execution: id, note: 'sorry', ...rest })
  await executions.delete(OWNER, id)
  await clock.advance(600_000)
  await work()
  await expect(refund('r0', { seq: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(refund('r1', { credits: 2 })).rejects.toMatchObject({ code: 'CONFLICT' })
  const entry = await refund('r2', { seq: 0 })
  expect(entry).toMatchObject({ moves: { wallet: 1, revenue: -1 }, pages: [{ seq: 0 }] })
  expect(await refund('r2', { seq: 0 })).toEqual(entry)
  for (const rest of [{ seq: 0 }, { credits: 1 }, {}])
    await expect(refund('r3', rest)).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(
    billing.refund('other', { id: 'r4', execution: id, note: 'sorry' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await platform.verify()).differences).toEqual([])
})

it('the deletion of an unfinished execution is 409, with advice', async () => {
  const { call } = await createServiceHost()
  const task = (await call('POST', '/api/v1/tasks', { body: { recipe } })).body.data.id
  const { id } = (await call('POST', `/api/v1/tasks/${task}/executions`)).body.data
  const path = `/api/v1/executions/${id}`
  for (const [move, status] of [
    [null, 'queued'],
    ['pause', 'paused'],
  ] as const) {
    if (move) await call('POST', `${path}/${move}`)
    const { status: code, body } = await call('DELETE', path)
    expect([code, body.error]).toEqual([
      409,
      { code: 'CONFLICT', message: `The execution is ${status}; cancel it, then delete it` },
    ])
  }
  await call('POST', `${path}/cancel`)
  expect((await call('DELETE', path)).status).toBe(200)
  expect((await call('DELETE', path)).status).toBe(404)
})

it('a repeated deletion gets the first answer, and the bytes are subtracted once', async () => {
  const { platform, run, records } = await openShop()
  const id = await run()
  const { secret } = await platform.api.keys.create(OWNER, { name: 'k', scopes: ['executions:*'] })
  const before = await records.storedBytes.read('acme')
  const send = () =>
    platform.fetch(
      new Request(`https://seine.example.com/api/v1/executions/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${secret}`, 'idempotency-key': 'once' },
      }),
    )
  const answers = [await send(), await send()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await answers[1]?.json()).toEqual(await answers[0]?.json())
  expect([before > 0, await records.storedBytes.read('acme')]).toEqual([true, 0])
})
