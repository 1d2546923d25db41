import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import type { Commit, Store } from '../../src/ports/store.ts'
import { createRecords } from '../../src/records/records.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { FAULTS, FaultStore } from '../support/fault-store.ts'
import type { Fault } from '../support/fault-store.ts'
import { CheckedStore, fingerprint, watch } from '../support/invariants.ts'
import { LEASE_MS, OWNER, createWorld } from '../support/world.ts'

const SITE = 'https://shop.example.com'
const LISTS = 4
const product = (id: number) => `<html><body><h1>Product ${id}</h1><b class="price">${id}.50</b></body></html>`

/** Four listing pages of three products each, a page that redirects to a known one, one that is gone and one that is flaky. */
const PAGES = Object.fromEntries<string | { status: number; headers?: Record<string, string> } | ((nth: number) => string | 'down')>([
  ...Array.from({ length: LISTS }, (_, i): [string, string] => [
    `${SITE}/list/${i}`,
    `${[0, 1, 2].map((j) => `<a class="p" href="/p/${i * 3 + j}">x</a>`).join('')}<a class="p" href="/moved">m</a><a class="p" href="/gone">g</a>${i + 1 < LISTS ? `<a class="next" href="/list/${i + 1}">n</a>` : ''}`,
  ]),
  ...Array.from({ length: LISTS * 3 }, (_, id): [string, string | ((nth: number) => string)] => [`${SITE}/p/${id}`, id === 5 ? (nth) => (nth === 1 ? 'down' : product(id)) : product(id)]),
  [`${SITE}/moved`, { status: 301, headers: { location: '/p/1' } }],
])
const RECIPE = {
  start: { urls: [`${SITE}/list/0`] },
  follow: [{ links: 'a.p', as: 'detail' }, { next: 'a.next' }],
  crawl: { concurrency: 3 },
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
}
const ROWS = fingerprint(Array.from({ length: LISTS * 3 }, (_, id) => ({ title: `Product ${id}`, price: id + 0.5 })))

/** Plays one run in which the k-th commit of worker A meets a fault; B is another process on the same store. */
async function play(k: number, fault: Fault, spoil: (store: Store) => Store = (store) => store): Promise<{ fired: boolean; broken: string[] }> {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const { check, broken } = watch(base, blobs, OWNER.account)
  const world = createWorld(PAGES, { store: new CheckedStore(base, check), blobs, clock })
  const id = await world.start(RECIPE)
  const faulty = new FaultStore(spoil(world.store), k, fault, async () => {
    await clock.sleep(2 * LEASE_MS)
    await world.platform.worker.tick()
  })
  await clock.runUntil(world.join(faulty).worker.tick({ budgetMs: 20 * LEASE_MS, signal: faulty.death }).catch(() => undefined))
  for (let round = 0; round < 8 && !(await world.read(id)).finishedAt; round++) {
    await clock.advance(2 * LEASE_MS)
    await world.work()
  }
  const records = createRecords(base)
  const execution = await world.read(id)
  if (execution.status !== 'succeeded') broken.add(`the execution is ${execution.status}`)
  if (JSON.stringify(fingerprint(await world.rows(id))) !== JSON.stringify(ROWS)) broken.add('the rows are not exact')
  if (execution.counters.fetched !== LISTS * 4 || execution.counters.duplicate !== 1 || execution.counters.failed !== 1) broken.add('the counters are not exact')
  await clock.advance(4 * LEASE_MS)
  await world.work()
  if ((await records.jobs.list(SYSTEM, { limit: 10 })).length > 0) broken.add('a job is left over')
  if ((await records.outbox.list(SYSTEM, { limit: 10 })).length > 0) broken.add('the outbox is not empty')
  return { fired: faulty.fired, broken: [...broken] }
}

async function enumerate(fault: Fault, spoil?: (store: Store) => Store): Promise<{ scenarios: number; broken: string[] }> {
  const broken: string[] = []
  for (let k = 1; ; k++) {
    const played = await play(k, fault, spoil)
    if (!played.fired) return { scenarios: k - 1, broken }
    broken.push(...played.broken.map((what) => `${fault}@${k}: ${what}`))
  }
}

const collection = (key: readonly (string | number)[]): unknown => key[1]
const through = (store: Store, commit: Store['commit']): Store => ({ get: (keys) => store.get(keys), list: (range) => store.list(range), commit, close: () => store.close() })

describe('every commit of a run, in every way it can fail', () => {
  it.each(FAULTS)('%s: nothing is lost, doubled or changed afterwards', async (fault) => {
    const { scenarios, broken } = await enumerate(fault)
    expect(broken).toEqual([])
    // Job taken, fence, seeds, at least a commit for each listing page, end, job settled.
    expect(scenarios).toBeGreaterThan(LISTS + 5)
  })
})

describe('the checks find planted bugs', () => {
  it('a worker without a fence', async () => {
    const spoil = (store: Store): Store =>
      through(store, (change: Commit) => store.commit({ ...change, check: (change.check ?? []).filter(({ key }) => collection(key) !== 'fences' && collection(key) !== 'progress') }))
    const found = [...(await enumerate('stall-before', spoil)).broken, ...(await enumerate('stall-after', spoil)).broken]
    expect(found).not.toEqual([])
  })

  it('a receipt that is written in a commit of its own', async () => {
    const spoil = (store: Store): Store =>
      through(store, async (change: Commit) => {
        const visits = (change.set ?? []).filter(({ key }) => collection(key) === 'visits')
        if (visits.length > 0) await store.commit({ set: visits })
        return store.commit({ ...change, set: (change.set ?? []).filter(({ key }) => collection(key) !== 'visits') })
      })
    expect((await enumerate('crash-before', spoil)).broken).not.toEqual([])
  })

  it('a job that is forgotten when it is taken', async () => {
    const spoil = (store: Store): Store =>
      through(store, (change: Commit) => {
        const taken = (change.set ?? []).filter(({ key }) => collection(key) === 'jobs').map(({ key }) => key)
        return store.commit({ ...change, set: (change.set ?? []).filter(({ key }) => !taken.includes(key)), delete: [...(change.delete ?? []), ...taken] })
      })
    expect((await enumerate('crash-after', spoil)).broken).not.toEqual([])
  })
})
