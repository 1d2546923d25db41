import { describe, expect, it, test } from 'vitest'
import { createDefaultPageProcessor } from '../../../src/defaults/page-processor.ts'
import { openRowWork } from '../../../src/engine/export/open-row-work.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createLedger } from '../../../src/features/ledger/ledger.ts'
import { tariffOf } from '../../../src/features/ledger/plans.ts'
import {
  deliveryId,
  newDelivery,
  deliveryKey,
  putDelivery,
} from '../../../src/features/webhooks/delivery.ts'
import { createIds } from '../../../src/kernel/id.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { PageProcessor } from '../../../src/ports/page-processor.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { jobEnds } from '../../../src/crawl/jobs.ts'
import { datasetJobs } from '../../../src/features/datasets/jobs.ts'
import { emptyOutcome, writablePage } from '../../../src/crawl/visit/outcome.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { endlessTurn, jobContext } from '../../support/fakes/job-context.ts'
import { loseWorkers } from '../../support/stores/lose-workers.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import { normalUrl } from '../../support/normal-url.ts'

const PAGES = { 'https://a.com/1': '<h1>One</h1>', 'https://a.com/2': '<h1>Two</h1>' }
const RECIPE = { start: { urls: Object.keys(PAGES) }, extract: { fields: { title: 'h1' } } }
const LOST = ['one', 'two', 'three']

describe('a job that has lost three workers', () => {
  it('of an execution makes it fail, with the reason, its event, and its credits returned', async () => {
    const world = createWorld(PAGES, {
      billing: { plans: [{ id: 'free', name: 'Free', creditsPerMonth: 1_000 }] },
    })
    const id = await world.start(RECIPE)
    await loseWorkers(world.store, 'execution', LOST, world.clock.now())
    await world.work()
    const ended = await world.read(id)
    expect(ended).toMatchObject({ status: 'failed', reason: { code: 'worker_lost' } })
    expect(world.web.requests.size).toBe(0)
    // A later sweep finds all that the dead workers may still write.
    const jobs = await createRecords(world.store).jobs.list(SYSTEM, { limit: 10 })
    expect(jobs.map(({ value }) => value.id)).toEqual([`sweep:${id}:late`])
    expect((await world.platform.verify()).ok).toBe(true)
  })

  it('is given up again if giving it up has failed, and is not begun', async () => {
    const clock = createFakeClock()
    const base = createMemoryStore({ clock })
    let failures = 0
    // The first commit that writes the execution is the one that ends it.
    const store: Store = {
      get: (keys) => base.get(keys),
      list: (range) => base.list(range),
      close: () => base.close(),
      async commit(change) {
        const ends =
          change.set?.some(({ value }) => JSON.stringify(value).includes('worker_lost')) === true
        if (ends && ++failures <= 4) throw new Error('The store is away')
        return base.commit(change)
      },
    }
    const world = createWorld(PAGES, { clock, store })
    const id = await world.start(RECIPE)
    await loseWorkers(base, 'execution', LOST, clock.now())
    const stop = new AbortController()
    const running = world.platform.worker.run({ signal: stop.signal })
    await clock.advance(10 * 60_000)
    stop.abort()
    await clock.runUntil(running)
    expect(failures).toBeGreaterThan(4)
    expect(await world.read(id)).toMatchObject({
      status: 'failed',
      reason: { code: 'worker_lost' },
    })
    expect(world.web.requests.size).toBe(0)
    expect((await world.platform.verify()).ok).toBe(true)
  })

  it('of a schedule is refused this time, and the next time comes', async () => {
    const world = createWorld(PAGES)
    const task = await world.platform.api.tasks.create(OWNER, {
      name: 't',
      recipe: RECIPE,
      schedule: { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: true },
    })
    await world.work()
    await world.clock.advance(3_600_000)
    await loseWorkers(world.store, 'schedule', LOST, world.clock.now())
    await world.work()
    const records = createRecords(world.store)
    const state = (await records.schedules.get(OWNER.account, task.id))?.value
    expect(state).toMatchObject({
      last: { outcome: 'refused', execution: null, message: expect.stringContaining('3 times') },
    })
    expect(state?.nextAt).toBeGreaterThan(world.clock.now())
    await world.clock.advance(3_600_000)
    await world.work()
    expect((await records.schedules.get(OWNER.account, task.id))?.value.last).toMatchObject({
      outcome: 'started',
    })
  })

  it('of a webhook makes its delivery fail, with an attempt that says why', async () => {
    const { records, ends, clock } = endsOf()
    const delivery = newDelivery(
      'wh_1',
      { id: 'evt_1', type: 'execution.started', at: clock.now(), data: {} },
      clock.now(),
    )
    const put = new Change()
    putDelivery(records, put, 'acme', delivery)
    await records.commit(put)
    const data = { account: 'acme', webhook: 'wh_1', delivery: deliveryId(delivery), round: '1' }
    expect(await ends['webhook']?.end(data, { code: 'worker_lost', message: '' })).toBe('done')
    const ended = (await records.webhookDeliveries.get('acme', ...deliveryKey(delivery)))?.value
    expect(ended).toMatchObject({
      status: 'failed',
      nextAt: null,
      attempts: [{ number: 1, error: 'worker_lost', httpStatus: null }],
    })
  })

  it('of a merge leaves out that run, and the runs behind it are merged', async () => {
    const { records, blobs, ends, clock } = endsOf()
    await makeDataset(records)
    for (const [index, id] of ['e1', 'e2'].entries())
      await finishRun(records, blobs, { id, at: index, segments: [[{ id: index }]], progress: {} })
    const waiting = async () =>
      (await records.pendingMerges.list(ACCOUNT, { within: [DATASET], limit: 10 })).map(
        ({ value }) => value.execution,
      )
    expect(await waiting()).toEqual(['e1', 'e2'])
    expect(
      await ends['merge']?.end(
        { account: ACCOUNT, dataset: DATASET },
        { code: 'worker_lost', message: '' },
      ),
    ).toEqual({ again: clock.now() })
    expect(await waiting()).toEqual(['e2'])
  })

  it('of a merge is not given up while it makes commits', async () => {
    const { records, blobs, clock } = endsOf()
    await makeDataset(records)
    await finishRun(records, blobs, {
      id: 'e1',
      at: 0,
      segments: [Array.from({ length: 300 }, (_, sku) => ({ sku }))],
    })
    const { merge } = datasetJobs({ records, blobs, clock })
    const data = { account: ACCOUNT, dataset: DATASET }
    // Each process dies after one commit.
    let progress = 0
    for (let lost = 0; lost < 3; lost++) {
      const death = new AbortController()
      await merge?.(data, {
        ...jobContext(death.signal),
        lost,
        turn: {
          ...endlessTurn(),
          async progress() {
            progress++
            death.abort()
          },
        },
      })
    }
    expect(progress).toBe(3)
    // Each time a commit has fewer rows, as one row may be the cause of death.
    expect((await records.datasetStates.get(ACCOUNT, DATASET))?.value.slots).toBe(250 + 25 + 1)
  })

  it('of daily work waits for the next day', async () => {
    const { ends, clock } = endsOf()
    for (const kind of [
      'sweep',
      'statement',
      'retention',
      'retire',
      'suspended',
      'dataset-erase',
      'execution-erase',
      'rows-erase',
      'media-erase',
      'execution-media',
    ])
      expect(await ends[kind]?.end({}, { code: 'worker_lost', message: '' })).toEqual({
        again: clock.now() + 86_400_000,
      })
  })
})

function endsOf() {
  const clock = createFakeClock()
  const records = createRecords(createMemoryStore({ clock }))
  const blobs = createMemoryBlobs()
  const ledger = createLedger({
    records,
    ids: createIds({ now: () => clock.now(), random: seededRandom(1) }),
    tariff: tariffOf(undefined),
  })
  return { clock, records, blobs, ends: jobEnds({ records, blobs, ledger, clock, changed() {} }) }
}

test('a job with an error of the worker is tried again, ever later; the tenth error ends the execution', async () => {
  const clock = createFakeClock()
  const inner = createMemoryStore({ clock })
  let tries = 0
  const store: Store = {
    get: (keys) => inner.get(keys),
    list: (range) => inner.list(range),
    // For example, the rows of a page could make the text of the commit too long.
    commit: async (change) => {
      if (change.set?.some(({ key }) => key[1] === 'visits')) {
        tries++
        throw new RangeError('Invalid string length')
      }
      return inner.commit(change)
    },
    close: () => inner.close(),
  }
  const world = createWorld(PAGES, { clock, store })
  const id = await world.start(RECIPE)
  const start = clock.now()
  const stop = new AbortController()
  const running = world.platform.worker.run({ signal: stop.signal })
  await clock.advance(900_000)
  expect(await world.read(id)).toMatchObject({
    status: 'failed',
    reason: { code: 'worker_failed', message: expect.stringContaining('Invalid string length') },
  })
  // Each delivery of the job tries its commit three times.
  expect(tries).toBe(30)
  expect(((await world.read(id)).finishedAt ?? '').length).toBeGreaterThan(0)
  expect(Date.parse((await world.read(id)).finishedAt ?? '') - start).toBeGreaterThan(4 * 60_000)
  stop.abort()
  await clock.runUntil(running)
})

describe('a page that cannot be written', () => {
  const entry = {
    execution: 'e',
    seq: 0,
    url: normalUrl('https://a.com/1'),
    label: 'start',
    depth: 0,
    hop: 0,
  }

  it('fails with the reason, and the other pages of its execution do not', async () => {
    const long = 'x'.repeat(1_024 * 1_024)
    const inline = createDefaultPageProcessor(openPageWork, openRowWork)
    const processor: PageProcessor = {
      openPages: (options) => inline.openPages(options),
      openRows: (...args) => inline.openRows(...args),
      open: (recipe, options) => ({
        ...inline.open(recipe, options),
        process: async ({ url }) => ({
          rows: url.endsWith('1')
            ? Array.from({ length: 70 }, () => ({ title: long }))
            : [{ title: 'Two' }],
          links: [],
          filled: { title: 1 },
          extracted: true,
        }),
        close() {},
      }),
      close: () => inline.close(),
    }
    const world = createWorld(PAGES, { processor })
    const id = await world.start(RECIPE)
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { rows: 1, failed: 1, fetched: 1 },
    })
    expect(await world.receipt(id)).toContainEqual({
      url: 'https://a.com/1',
      outcome: 'failed',
      code: 'page_too_large',
    })
    expect(await world.rows(id)).toEqual([{ title: 'Two' }])
  })

  it('fails with the reason if JSON cannot express it', async () => {
    const loop: { [key: string]: Json } = {}
    loop['self'] = loop
    const { page } = await writablePage({ ...emptyOutcome(entry, 'fetched', null), rows: [loop] })
    expect(page).toMatchObject({
      outcome: 'failed',
      reason: { code: 'page_not_writable' },
      rows: [],
    })
  })
})
