import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Commit, Entry, Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Records } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { playEach, through } from '../../support/stores/fault-store.ts'
import { OWNER } from '../../support/worlds/world.ts'

const DAY = 86_400_000
const WEEK: PlanDefinition = {
  id: 'week',
  name: 'Week',
  creditsPerMonth: 0,
  overdraft: null,
  retentionDays: 7,
}
const ALWAYS: PlanDefinition = { id: 'always', name: 'Always', creditsPerMonth: 0, overdraft: null }
const site = 'https://shop.example.com/'
const web = createFakeWeb({
  [site]: '<h1>Shop</h1><a href="/a">a</a><a href="/b">b</a>',
  [`${site}a`]: '<h1>A</h1>',
  [`${site}b`]: '<h1>B</h1>',
})
const recipe = {
  start: { urls: [site] },
  follow: [{ links: 'a' }],
  extract: { fields: { title: 'h1' } },
}

let clock: FakeClock
let store: Store
let blobs: Blobs
let records: Records
let platform: Platform
let task: string

/** Another process on the same store, with plans of its own. */
const open = (
  plans: readonly [PlanDefinition, ...PlanDefinition[]],
  over: Store = store,
  bytes: Blobs = blobs,
): Platform =>
  createPlatform({
    store: over,
    blobs: bytes,
    fetcher: web,
    clock,
    billing: { plans },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })

beforeEach(async () => {
  clock = createFakeClock()
  store = createMemoryStore({ clock })
  blobs = createMemoryBlobs()
  records = createRecords(store)
  platform = open([WEEK, ALWAYS])
  task = (await platform.api.tasks.create(OWNER, { name: 'shop', recipe })).id
})

const work = (by: Platform = platform): Promise<unknown> => clock.runUntil(by.worker.tick())
async function run(): Promise<string> {
  const { id } = await platform.api.executions.start(OWNER, task)
  await work()
  return id
}
/** Lets days pass, with a worker that runs on each. */
async function days(count: number, by: Platform = platform): Promise<void> {
  for (let day = 0; day < count; day++) {
    await clock.advance(DAY)
    await work(by)
  }
}
const idsOf = async () => (await platform.api.executions.list(OWNER)).items.map(({ id }) => id)
/** The collections with records of an execution. */
async function tracesOf(id: string): Promise<string[]> {
  const collections = new Set<string>()
  for (let after: Entry['key'] | undefined; ;) {
    const page = await store.list({ prefix: [], limit: 1_000, ...(after && { after }) })
    for (const { key } of page)
      if (key.slice(2).some((part) => part === id)) collections.add(String(key[1]))
    after = page.at(-1)?.key
    if (page.length < 1_000) break
  }
  return [...collections].toSorted()
}
const LEDGER = ['ledger-causes', 'ledger/execution']

function isErasing(change: Commit, id: string): boolean {
  return [...(change.delete ?? []), ...(change.set ?? []).map(({ key }) => key)].some((key) =>
    key.includes(id),
  )
}

describe('retention', () => {
  it('deletes a finished execution with all its data after its days, but no ledger entry', async () => {
    const old = await run()
    await days(3)
    const young = await run()
    const entries = (await records.ledger.list('acme', { limit: 100 })).length
    await days(3)
    expect(await idsOf()).toEqual([young, old])
    expect((await blobs.list(`rows/${old}/`)).length).toBeGreaterThan(0)
    await days(3)
    expect(await idsOf()).toEqual([young])
    expect(await blobs.list(`rows/${old}/`)).toEqual([])
    expect((await tracesOf(old)).filter((name) => !LEDGER.includes(name))).toEqual([])
    expect((await records.ledger.list('acme', { limit: 100 })).length).toBe(entries)
    await expect(platform.api.executions.pages(OWNER, old)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect((await platform.api.results.list(OWNER, young)).items).toHaveLength(3)
    await days(8)
    expect(await idsOf()).toEqual([])
    expect((await platform.verify()).differences).toEqual([])
  })

  it('leaves executions that the owner has just deleted to the job that erases them later', async () => {
    const id = await run()
    await clock.advance(DAY - 60_000)
    await work()
    await platform.api.executions.delete(OWNER, id)
    await clock.advance(60_000)
    await work()
    // The daily job has run, and a worker may still be at a page.
    expect((await blobs.list(`rows/${id}/`)).length).toBeGreaterThan(0)
    await clock.advance(600_000)
    await work()
    expect(await blobs.list(`rows/${id}/`)).toEqual([])
  })

  it('keeps unfinished executions, however old', async () => {
    const { id } = await platform.api.executions.start(OWNER, task)
    await platform.api.executions.pause(OWNER, id)
    await days(20)
    expect(await idsOf()).toEqual([id])
    await platform.api.executions.cancel(OWNER, id)
    await days(9)
    expect(await idsOf()).toEqual([])
  })

  it('follows the plan of the day, also for an account that starts nothing any more', async () => {
    await platform.api.billing.setPlan('acme', { plan: 'always' })
    const id = await run()
    await days(30)
    expect(await idsOf()).toEqual([id])
    await platform.api.billing.setPlan('acme', { plan: 'week' })
    await days(1)
    expect(await idsOf()).toEqual([])
  })

  it('does nothing, and pushes no job, if no plan has an end', async () => {
    const endless = open([ALWAYS])
    await endless.api.executions.start(OWNER, task)
    await work(endless)
    expect(await records.retentions.get('acme')).toBeNull()
    const id = await run()
    expect(await records.retentions.get('acme')).not.toBeNull()
    // The program has other plans since then: the job ends by itself, and begins again.
    await days(2, endless)
    expect([await records.retentions.get('acme'), (await idsOf()).includes(id)]).toEqual([
      null,
      true,
    ])
    await run()
    expect(await records.retentions.get('acme')).not.toBeNull()
  })

  it('keeps executions if the plan changes while they are being deleted', async () => {
    const id = await run()
    await clock.advance(9 * DAY)
    let changed = false
    const racing = through(store, async (change) => {
      if (!changed && change.delete?.some((key) => key[1] === 'executions')) {
        changed = true
        const other = new Change()
        records.subscriptions.insert(other, 'acme', { plan: 'always', since: 0, dailyCap: null })
        await records.commit(other)
      }
      return store.commit(change)
    })
    await work(open([WEEK, ALWAYS], racing))
    expect([changed, await idsOf()]).toEqual([true, [id]])
    await days(3)
    expect(await idsOf()).toEqual([id])
  })

  it('leaves no reference to deleted data after a crash at any write, and goes on the next day', async () => {
    const { scenarios, broken } = await playEach('crash', async (k) => {
      const id = await run()
      await clock.advance(8 * DAY)
      let writes = 0
      const crash = (): void => {
        if (++writes >= k) throw new Error('crash')
      }
      const crashing = through(store, async (change) => {
        if (isErasing(change, id)) crash()
        return store.commit(change)
      })
      const frail: Blobs = {
        get: (name) => blobs.get(name),
        put: (name, bytes) => blobs.put(name, bytes),
        list: (prefix) => blobs.list(prefix),
        async remove(name) {
          crash()
          return blobs.remove(name)
        },
        close: async () => undefined,
      }
      await work(open([WEEK], crashing, frail))
      const { differences } = await platform.verify()
      const fired = writes >= k
      await days(2)
      const traces = (await tracesOf(id)).filter((name) => !LEDGER.includes(name))
      return {
        fired,
        broken: [
          ...differences.map(({ subject, message }) => `${subject}: ${message}`),
          ...[...traces, ...(await blobs.list(`rows/${id}/`))].map((name) => `${name} is left`),
        ],
      }
    })
    expect(broken).toEqual([])
    expect(scenarios).toBeGreaterThan(4)
  })
})

describe('a sweep', () => {
  it('deletes the blobs of commits that failed, and no other', async () => {
    const { id } = await platform.api.executions.start(OWNER, task)
    await blobs.put(`rows/${id}/orphan-1.jsonl`, new Uint8Array(1))
    await blobs.put(`rows/${id}0/other-1.jsonl`, new Uint8Array(1))
    await work()
    const named = await blobs.list(`rows/${id}/`)
    expect(named.toSorted()).toEqual(
      (await records.segments.list('acme', { within: [id], limit: 100 }))
        .map(({ value }) => value.blob)
        .toSorted(),
    )
    expect(await blobs.list(`rows/${id}0/`)).toHaveLength(1)
    expect((await platform.api.results.list(OWNER, id)).items).toHaveLength(3)
  })
})
