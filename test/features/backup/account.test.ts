import { expect, test } from 'vitest'
import { eraseAccount, restoreBackup, writeBackup } from '../../../src/backup.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { encodeKey } from '../../../src/kernel/key.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { contentOf, sqliteFile } from './backup-world.ts'

// Proves that an account can be exported, erased and imported, and that no byte of an erased account
// is left: its name, pages, rows and media all contain a canary.

const CANARY = 'kestrel7'
const SITE = `https://${CANARY}.example.com`
const png = (bytes: number[]): Uint8Array =>
  Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, ...bytes])
const PAGES = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `${SITE}/p${i}`,
      `<h1>${CANARY} ${i}</h1><img src="/i.png">`,
    ]),
  ),
  [`${SITE}/i.png`]: { headers: { 'content-type': 'image/png' }, body: png([1, 2, 3]) },
  'https://other.example.com/p': '<h1>Other</h1>',
}
const RECIPE = {
  start: { urls: Array.from({ length: 12 }, (_, i) => `${SITE}/p${i}`) },
  extract: { fields: { title: 'h1', image: { css: 'img', attr: 'src', as: 'media' } } },
  page: { maxAgeSeconds: 3600, keep: true },
}
const own: Principal = { account: CANARY, user: `${CANARY}-ann`, scopes: ['*'] }
const other: Principal = { account: 'other', user: 'bob', scopes: ['*'] }

/** Runs of two accounts; the first has keys, a webhook, a schedule and a dataset as well. */
async function populated(store: Store, clock = createFakeClock()) {
  const world = createWorld(PAGES, { clock, store, media: { maxBytes: 10_000 }, operator: true })
  const { api } = world.platform
  const dataset = await api.datasets.create(own, {
    name: `${CANARY} items`,
    keyFields: ['title'],
  })
  const task = await api.tasks.create(own, {
    name: `${CANARY} task`,
    datasetId: dataset.id,
    schedule: { cron: '0 3 * * *', timeZone: 'UTC', missed: 'run', overlap: false },
    labels: [CANARY],
    recipe: parseRecipe({ ...RECIPE, output: { unique: ['title'] } }),
  })
  await api.webhooks.create(own, { url: `${SITE}/hook`, events: ['*'] })
  await api.keys.create(own, { name: `${CANARY} key`, scopes: ['tasks:read'] })
  const ownRun = (await api.executions.start(own, task.id)).id
  const othersTask = await api.tasks.create(other, {
    name: 'other',
    recipe: parseRecipe({
      start: { urls: ['https://other.example.com/p'] },
      extract: { fields: { title: 'h1' } },
    }),
  })
  const othersRun = (await api.executions.start(other, othersTask.id)).id
  await world.work()
  expect(await rowsOf(world, own, ownRun)).toHaveLength(12)
  return { world, task, ownRun, othersRun }
}

async function rowsOf({ platform }: World, who: Principal, run: string) {
  return (await platform.api.results.list(who, run, { limit: 100 })).items
}

/** Every key, value and blob that contains the canary. */
async function traces(store: Store, blobs: Blobs): Promise<string[]> {
  const leaks: string[] = []
  for await (const page of store.snapshot?.([[]]) ?? [])
    for (const { key, json } of page)
      if (`${encodeKey(key)} ${json}`.includes(CANARY)) leaks.push(JSON.stringify(key))
  for (const [name, bytes] of await contentOf(blobs))
    if (`${name} ${Buffer.from(bytes).toString('latin1')}`.includes(CANARY)) leaks.push(name)
  return leaks
}

test('an erased account leaves no record, index entry or blob, and others keep theirs', async () => {
  const { store } = sqliteFile()
  const { world, othersRun } = await populated(store)
  const before = await traces(store, world.blobs)
  expect(before.length).toBeGreaterThan(100)
  const blobs = (await world.blobs.list('')).length
  const report = await eraseAccount({ store, blobs: world.blobs, account: CANARY })
  expect(report.records).toBeGreaterThan(100)
  expect(report.blobs).toBe(blobs - 1)
  expect(await traces(store, world.blobs)).toEqual([])
  expect(await world.blobs.list('')).toHaveLength(1)
  expect(await rowsOf(world, other, othersRun)).toHaveLength(1)
  expect(await world.platform.verify()).toMatchObject({ ok: true })
  // Nothing of the account comes back when work goes on.
  await world.clock.advance(48 * 3_600_000)
  await world.work()
  expect(await traces(store, world.blobs)).toEqual([])
  expect(await eraseAccount({ store, blobs: world.blobs, account: CANARY })).toEqual({
    records: 0,
    blobs: 0,
  })
})

/** How many traces there are of each owner and collection. */
async function tracesOf({ store, blobs }: World): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const trace of await traces(store, blobs)) {
    const key: unknown = trace.startsWith('[') ? JSON.parse(trace) : [trace]
    const name = Array.isArray(key) ? key.slice(0, 2).join(' ') : trace
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

test('after an operator has erased an account, only what the operator did to it names it', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  const { world, othersRun } = await populated(store, clock)
  const staff: Principal = { account: 'staff', user: 'staff', scopes: ['*', 'operator'] }
  const { secret } = await world.platform.api.keys.create(staff, {
    name: 'operator',
    scopes: ['operator'],
  })
  const act = async (verb: string, more = {}) => {
    const response = await world.platform.fetch(
      new Request(`http://localhost/api/v1/operator/accounts/${CANARY}/${verb}`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'The customer leaves', ...more }),
      }),
    )
    expect([verb, response.ok]).toEqual([verb, true])
  }
  for (const verb of ['suspend', 'resume', 'close', 'erase']) await act(verb)
  const operators = { '~ account-states': 1, '~ operator-acts': 4 }
  expect(await tracesOf(world)).toEqual({ ...operators, 'staff audit': 4 })
  expect(await rowsOf(world, other, othersRun)).toHaveLength(1)
  // Entries of the audit log expire; the state keeps the account closed, and the acts never expire.
  await clock.advance(91 * 24 * 3_600_000)
  await world.work()
  expect(await tracesOf(world)).toEqual(operators)
})

test('an account moves to another deployment with all its data, and works there', async () => {
  const clock = createFakeClock()
  const { world, task, ownRun } = await populated(sqliteFile(clock).store, clock)
  const to = createMemoryBlobs()
  const report = await writeBackup({
    store: world.store,
    blobs: world.blobs,
    to,
    account: CANARY,
    clock,
  })
  expect(report.missing).toEqual([])
  expect(Buffer.from((await to.get('manifest.json')) ?? []).toString()).not.toContain('"other"')

  const target = { store: createMemoryStore({ clock }), blobs: createMemoryBlobs() }
  const moved = createWorld(PAGES, { clock, ...target, media: { maxBytes: 10_000 } })
  const elsewhere = await moved.platform.api.tasks.create(other, {
    name: 'here before',
    recipe: parseRecipe({ start: { urls: ['https://other.example.com/p'] } }),
  })
  expect(await restoreBackup({ ...target, from: to })).toMatchObject({ account: CANARY })
  const { api } = moved.platform
  expect((await api.tasks.get(own, task.id)).name).toBe(`${CANARY} task`)
  const titles = async (from: World) =>
    (await rowsOf(from, own, ownRun)).map(({ title }) => title).toSorted()
  expect(await titles(moved)).toEqual(await titles(world))
  const [item] = (await api.media.list(own, {})).items
  const link = await moved.platform.fetch(new Request(new URL(item?.url ?? '', 'http://localhost')))
  expect([link.status, (await link.arrayBuffer()).byteLength]).toEqual([200, 11])
  expect((await api.keys.list(own, {})).items.map(({ name }) => name)).toEqual([`${CANARY} key`])
  expect(await api.tasks.list(other, {})).toMatchObject({ items: [{ id: elsewhere.id }] })
  expect(await moved.platform.verify()).toMatchObject({ ok: true })
  // The job of the schedule was imported as well.
  await clock.advance(24 * 3_600_000)
  await moved.work()
  expect((await api.executions.list(own, {})).items).toHaveLength(2)
  expect(await moved.platform.verify()).toMatchObject({ ok: true })
  await expect(restoreBackup({ ...target, from: to })).rejects.toThrow(
    `There is an account ${CANARY} already`,
  )
})

test('a job that waits and is requested again at the same time is imported once', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  await populated(store, clock)
  const records = createRecords(store)
  const [job] = await records.jobs.list(SYSTEM, { limit: 1 })
  if (!job) throw new Error('No job waits')
  const { id, kind, data, lane } = job.value
  const change = new Change()
  records.outbox.put(change, SYSTEM, { id, kind, data, lane, at: 0 })
  await records.commit(change)
  const to = createMemoryBlobs()
  await writeBackup({ store, blobs: createMemoryBlobs(), to, account: CANARY })
  const target = createMemoryStore({ clock })
  await restoreBackup({ store: target, blobs: createMemoryBlobs(), from: to })
  const requests = await createRecords(target).outbox.list(SYSTEM, { limit: 100 })
  expect(requests.filter(({ value }) => value.id === id)).toHaveLength(1)
})

test('an absent account cannot be exported, and an account with runs cannot be erased', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  const { world, task } = await populated(store, clock)
  const { blobs } = world
  await expect(
    writeBackup({ store, blobs, to: createMemoryBlobs(), account: 'nobody' }),
  ).rejects.toThrow('There is no account nobody in this store')
  const run = await world.platform.api.executions.start(own, task.id)
  await expect(eraseAccount({ store, blobs, account: CANARY })).rejects.toThrow(
    `Execution ${run.id} of ${CANARY} is queued. Cancel its executions first`,
  )
  await expect(eraseAccount({ store, blobs, account: '~' })).rejects.toThrow('the platform itself')
  await world.platform.api.executions.cancel(own, run.id)
  await world.work()
  await eraseAccount({ store, blobs, account: CANARY })
  expect(await traces(store, blobs)).toEqual([])
})
