import { expect, it, test } from 'vitest'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import { Interrupts } from '../../src/crawl/interrupts.ts'
import type { KindHandler } from '../../src/features/common/job.ts'
import { createRecords, type Records } from '../../src/features/records.ts'
import {
  deliveryKey,
  enqueueDelivery,
  newDelivery,
  putDelivery,
} from '../../src/features/webhooks/delivery.ts'
import type { Json } from '../../src/kernel/json.ts'
import { DAY_MS, MINUTE_MS } from '../../src/kernel/time.ts'
import { assemble } from '../../src/platform/assemble.ts'
import { assembleWorker } from '../../src/platform/worker.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Lane } from '../../src/ports/queue.ts'
import type { Store } from '../../src/ports/store.ts'
import { Change } from '../../src/records/change.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createOutbox } from '../../src/worker/outbox.ts'
import type { Worker } from '../../src/worker/worker.ts'
import { createFakeClock, type FakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../support/worlds/dataset-runs.ts'
import { createWorld, OWNER } from '../support/worlds/world.ts'

const LEASE_MS = 9_000
const PAGE = 'https://a.com/1'
const RECIPE = { start: { urls: [PAGE] }, extract: { fields: { title: 'h1' } } }
const forever = (): Promise<never> => new Promise(() => {})

/** The store, the blobs and the clock of all processes. */
interface Place {
  readonly clock: FakeClock
  readonly store: Store
  readonly blobs: Blobs
  readonly records: Records
}

function openPlace(): Place {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  return { clock, store, blobs: createMemoryBlobs(), records: createRecords(store) }
}

/** Handlers by kind, made of the kinds that the platform has. */
type Handlers = (kinds: readonly string[]) => Readonly<Record<string, KindHandler>>

/** The worker of a process with other handlers. After `die` the process no longer reaches the store. */
function spawn({ clock, store, blobs }: Place, handlers: Handlers, note: (facts: object) => void) {
  let isDead = false
  const alive = <T>(call: () => Promise<T>): Promise<T> => (isDead ? forever() : call())
  const own: Store = {
    get: (keys) => alive(() => store.get(keys)),
    list: (range) => alive(() => store.list(range)),
    commit: (change) => alive(() => store.commit(change)),
    close: () => store.close(),
  }
  const options = {
    store: own,
    blobs,
    clock,
    fetcher: createFakeWeb({}),
    random: seededRandom(1),
    logger: { debug() {}, info() {}, warn() {}, error: (_: string, facts = {}) => note(facts) },
  }
  const { core, web, services } = assemble(options, {
    wake() {},
    interrupt() {},
    health: forever,
    storeFailed() {},
  })
  const queue = createStoreQueue({ ...core, leaseMs: LEASE_MS })
  const worker: Worker = assembleWorker(
    {
      core,
      web,
      services,
      queue,
      outbox: createOutbox(core.records, queue, clock),
      interrupts: new Interrupts(),
      leaseMs: LEASE_MS,
      track: (jobs) => handlers(Object.keys(jobs)),
    },
    options,
  )
  return { worker, queue, die: () => void (isDead = true) }
}

/** The kinds of jobs that a platform has, from its own table of handlers. */
const KINDS: readonly string[] = await new Promise((resolve) => {
  spawn(openPlace(), (kinds) => (resolve(kinds.toSorted()), {}), forever)
})

/** A job to be lost, and what shows that it has ended. */
interface Case {
  /** Adds the job, and returns what reads its end. */
  readonly begin: (place: Place) => Promise<() => Promise<unknown>>
  readonly end: unknown
  /** True if giving it up begins the next work of its kind. */
  readonly goesOn?: true
}

async function addJob(
  { records }: Place,
  kind: string,
  data: Json,
  lane: Lane = 'short',
): Promise<void> {
  const change = new Change()
  records.outbox.put(change, SYSTEM, { id: 'suspect', kind, data, lane, at: 0 })
  await records.commit(change)
}

const startedWorld = ({ clock, store, blobs }: Place) =>
  createWorld({ [PAGE]: '<h1>One</h1>' }, { clock, store, blobs })
const lostReason = expect.stringContaining('started 3 times')

/** Kinds whose end is written where their owner reads it. */
const ENDED: Readonly<Record<string, Case>> = {
  execution: {
    async begin(place) {
      const world = startedWorld(place)
      const id = await world.start(RECIPE)
      return async () => {
        const { status, reason } = await world.read(id)
        return [status, reason]
      }
    },
    end: ['failed', { code: 'worker_lost', message: lostReason }],
  },
  merge: {
    async begin(place) {
      const { records, blobs } = place
      await makeDataset(records)
      for (const [index, id] of ['e1', 'e2'].entries())
        await finishRun(records, blobs, { id, at: index, segments: [[{ sku: id }]] })
      await addJob(place, 'merge', { account: ACCOUNT, dataset: DATASET })
      return async () =>
        (await records.pendingMerges.list(ACCOUNT, { within: [DATASET], limit: 9 })).map(
          ({ value }) => value.execution,
        )
    },
    end: ['e2'],
    goesOn: true,
  },
  relocate: {
    async begin(place) {
      const { records, blobs } = place
      await finishRun(records, blobs, {
        id: 'e1',
        at: 0,
        segments: [],
        execution: { taskId: null, datasetId: null },
      })
      await addJob(place, 'relocate', { account: ACCOUNT, execution: 'e1' }, 'long')
      return async () => (await records.executions.get(ACCOUNT, 'e1'))?.value.relocation
    },
    end: expect.objectContaining({
      status: 'none',
      reason: { code: 'worker_lost', message: lostReason },
    }),
  },
  schedule: {
    async begin(place) {
      const world = startedWorld(place)
      const { id } = await world.platform.api.tasks.create(OWNER, {
        name: 't',
        recipe: RECIPE,
        schedule: { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: true },
      })
      await place.clock.advance(60 * MINUTE_MS)
      return async () => (await place.records.schedules.get(OWNER.account, id))?.value.last
    },
    end: expect.objectContaining({ outcome: 'refused', execution: null, message: lostReason }),
  },
  webhook: {
    async begin({ clock, records }) {
      const now = clock.now()
      const event = { id: 'evt_1', type: 'execution.started', at: now, data: {} }
      const delivery = newDelivery('wh_1', event, now)
      const change = new Change()
      putDelivery(records, change, ACCOUNT, delivery)
      enqueueDelivery(records, change, ACCOUNT, delivery)
      await records.commit(change)
      return async () => {
        const stored = await records.webhookDeliveries.get(ACCOUNT, ...deliveryKey(delivery))
        return [stored?.value.status, stored?.value.attempts.map(({ error }) => error)]
      }
    },
    end: ['failed', ['worker_lost']],
  },
}

/** Kinds that nobody has asked for by name: they are tried again after so many ms. */
const POSTPONED: Readonly<Record<string, number>> = {
  event: 10 * MINUTE_MS,
  'dataset-erase': DAY_MS,
  'execution-erase': DAY_MS,
  'execution-media': DAY_MS,
  'media-erase': DAY_MS,
  retention: DAY_MS,
  retire: DAY_MS,
  'rows-erase': DAY_MS,
  statement: DAY_MS,
  suspended: DAY_MS,
  sweep: DAY_MS,
}

const postponed = (kind: string): Case => ({
  async begin(place) {
    await addJob(place, kind, { account: ACCOUNT })
    return async () => {
      const job = (await place.records.jobs.get(SYSTEM, 'suspect'))?.value
      return job && job.dueAt - place.clock.now()
    }
  },
  end: POSTPONED[kind],
})

test('every kind of job of the platform is here, with its end', () => {
  expect([...Object.keys(ENDED), ...Object.keys(POSTPONED)].toSorted()).toEqual(KINDS)
})

it.for(KINDS)(
  '%s: a job that kills its worker runs last and alone, and ends after three deaths',
  async (kind) => {
    const { begin, end, goesOn } = ENDED[kind] ?? postponed(kind)
    const place = openPlace()
    const { clock } = place
    const endOf = await begin(place)
    const deaths: object[] = []
    const later: number[] = []
    const lostFacts: unknown[] = []
    let ends: unknown = null
    /** Other jobs that wait, that run, and that have begun since the suspect has. */
    const honest = { waiting: 0, running: 0, begun: 0 }
    for (let life = 0; life < 4; life++) {
      const { worker, queue, die } = spawn(
        place,
        (kinds) => ({
          ...Object.fromEntries(kinds.map((other) => [other, async () => 'done' as const])),
          async [kind](_, { lost }) {
            if (deaths.length === 3) {
              later.push(lost)
              return 'done'
            }
            const { waiting, running } = honest
            honest.begun = 0
            honest.waiting++
            await queue.push({ id: `late ${life}`, kind: 'honest', data: null })
            await clock.sleep(5_000)
            deaths.push(life === 0 ? { lost } : { lost, waiting, running, begun: honest.begun })
            die()
            return forever()
          },
          async honest() {
            honest.begun++
            honest.waiting--
            honest.running++
            await clock.sleep(1_000)
            honest.running--
            return 'done'
          },
        }),
        (facts) => lostFacts.push(facts),
      )
      for (const lane of ['short', 'remote', 'long'] as const) {
        honest.waiting++
        await queue.push({
          id: `${lane} ${life}`,
          kind: 'honest',
          data: null,
          lane,
          share: 'globex',
        })
      }
      const worked = worker.tick()
      if (life === 3) {
        await clock.runUntil(worked)
        ends = await endOf()
      } else {
        await clock.advance(20_000)
        await clock.advance(LEASE_MS)
      }
    }
    const alone = { waiting: 0, running: 0, begun: 0 }
    expect(deaths).toEqual([{ lost: 0 }, { lost: 1, ...alone }, { lost: 2, ...alone }])
    expect(lostFacts).toEqual([
      expect.objectContaining({ kind, reason: { code: 'worker_lost', message: lostReason } }),
    ])
    expect(ends).toEqual(end)
    expect(later).toEqual(goesOn ? [0] : [])
  },
)
