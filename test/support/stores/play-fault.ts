import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import { FaultStore, playEach } from './fault-store.ts'
import type { CommitRange, Fault } from './fault-store.ts'
import { fingerprint } from '../worlds/invariants.ts'
import { createWatchedWorld } from '../worlds/watched-world.ts'
import type { WatchedWorld } from '../worlds/watched-world.ts'
import { LEASE_MS } from '../worlds/world.ts'
import type { World } from '../worlds/world.ts'

const SITE = 'https://shop.example.com'
/** The listing pages of the run: it has at least so many commits. */
export const LISTS = 4
/** The value of a product that is only in the list. */
const stockOf = (id: number) => 7 * id + 1
const product = (id: number) =>
  `<html><body><h1>Product ${id}</h1><b class="price">${id}.50</b></body></html>`

/**
 * Four listing pages of three products each, a page that redirects to a known one, a page that is
 * gone, and a page that fails at times.
 */
const PAGES = Object.fromEntries<
  string | { status: number; headers?: Record<string, string> } | ((nth: number) => string | 'down')
>([
  ...Array.from({ length: LISTS }, (_, i): [string, string] => [
    `${SITE}/list/${i}`,
    [0, 1, 2]
      .map(
        (j) => `<p><a class="p" href="/p/${i * 3 + j}">x</a><i>${stockOf(i * 3 + j)} left</i></p>`,
      )
      .join('') +
      '<p><a class="p" href="/moved">m</a></p><p><a class="p" href="/gone">g</a></p>' +
      (i + 1 < LISTS ? `<a class="next" href="/list/${i + 1}">n</a>` : ''),
  ]),
  ...Array.from({ length: LISTS * 3 }, (_, id): [string, string | ((nth: number) => string)] => [
    `${SITE}/p/${id}`,
    id === 5 ? (nth) => (nth === 1 ? 'down' : product(id)) : product(id),
  ]),
  [`${SITE}/moved`, { status: 301, headers: { location: '/p/1' } }],
])
const RECIPE = {
  start: { urls: [`${SITE}/list/0`] },
  follow: [
    { items: 'p', links: 'a.p', carry: { stock: { css: 'i', as: 'integer' } }, as: 'detail' },
    { next: 'a.next' },
  ],
  crawl: { concurrency: 3 },
  extract: {
    on: 'detail',
    fields: {
      title: 'h1',
      price: { css: '.price', as: 'number' },
      stock: { carried: 'stock' },
    },
  },
}
const ROWS = fingerprint(
  Array.from({ length: LISTS * 3 }, (_, id) => ({
    title: `Product ${id}`,
    price: id + 0.5,
    stock: stockOf(id),
  })),
)

/** Runs in which the k-th commit of one worker has a fault. */
export interface FaultyRuns {
  /** Makes the world of one play. */
  readonly open: (k: number) => WatchedWorld | Promise<WatchedWorld>
  /** Starts executions, works on them and notes in `broken` what is not as it must be. */
  readonly run: (runs: OpenRuns) => Promise<void>
  /** A further defect of the worker's own store. */
  readonly spoil?: ((store: Store) => Store) | undefined
}

/** The world of one play. */
export interface OpenRuns extends WatchedWorld {
  /** The commit with the fault. */
  readonly k: number
  /**
   * Works on executions until they have ended: the worker with the fault first, then another.
   * `isFaulty` false: the other one alone.
   */
  readonly work: (ids: string | readonly string[], isFaulty?: boolean) => Promise<void>
}

/** Plays runs once for each commit of their worker, with the fault in it, and once without. */
export function playFaults(
  fault: Fault,
  { open, run, spoil }: FaultyRuns,
  range?: CommitRange,
): Promise<{ scenarios: number; broken: string[] }> {
  return playEach(
    fault,
    async (k) => {
      const watched = await open(k)
      const { world, broken } = watched
      const faulty = faultyStore(world, k, fault, spoil)
      await run({
        ...watched,
        k,
        work: (ids, isFaulty = true) => workThrough(world, ids, isFaulty ? faulty : null),
      })
      return { fired: faulty.fired, broken: [...broken] }
    },
    range,
  )
}

/** The stores of the shop's runs. */
export interface ShopRuns {
  readonly store: (clock: FakeClock) => Store | Promise<Store>
  /** Checks everything after each commit, not only at the end. */
  readonly closely: boolean
  readonly spoil?: ((store: Store) => Store) | undefined
  /** Ends one play. */
  readonly close?: () => void
}

/** Plays runs of the shop above, whose rows, counters and leftovers are known exactly. */
export function playShop(
  fault: Fault,
  { store, closely, spoil, close }: ShopRuns,
  range?: CommitRange,
): Promise<{ scenarios: number; broken: string[] }> {
  const open = async (): Promise<WatchedWorld> => {
    const clock = createFakeClock()
    return createWatchedWorld(PAGES, { clock, base: await store(clock), closely })
  }
  const run = async ({ world, base, broken, check, work }: OpenRuns): Promise<void> => {
    const id = await world.start(RECIPE)
    await work(id)
    const records = createRecords(base)
    const execution = await world.read(id)
    if (execution.status !== 'succeeded') broken.add(`the execution is ${execution.status}`)
    // Rows that can no longer be read are wrong as well.
    const rows = await world.rows(id).catch(() => null)
    if (rows === null || JSON.stringify(fingerprint(rows)) !== JSON.stringify(ROWS))
      broken.add('the rows are not exact')
    if (
      execution.counters.fetched !== LISTS * 4 ||
      execution.counters.duplicate !== 1 ||
      execution.counters.failed !== 1
    )
      broken.add('the counters are not exact')
    await world.clock.advance(4 * LEASE_MS)
    await world.work()
    await check()
    // A late sweep waits until no write of a dead worker can have an effect any more.
    const jobs = await records.jobs.list(SYSTEM, { limit: 10 })
    if (jobs.some(({ value }) => !value.id.endsWith(':late'))) broken.add('a job is left over')
    if ((await records.outbox.list(SYSTEM, { limit: 10 })).length > 0)
      broken.add('the outbox is not empty')
    close?.()
  }
  return playFaults(fault, { open, run, spoil }, range)
}

/**
 * The store of one worker, whose k-th commit meets a fault; while it hangs, another worker takes
 * over.
 */
export function faultyStore(
  world: World,
  k: number,
  fault: Fault,
  spoil = (own: Store): Store => own,
): FaultStore {
  return new FaultStore(spoil(world.store), k, fault, {
    onStall: async () => {
      await world.clock.sleep(2 * LEASE_MS)
      await world.platform.worker.tick()
    },
  })
}

/**
 * Works on executions until they have ended: one worker on the store given, where one is, then
 * another.
 */
export async function workThrough(
  world: World,
  ids: string | readonly string[],
  faulty: FaultStore | null,
): Promise<void> {
  const { clock } = world
  if (faulty)
    await clock.runUntil(
      world
        .join(faulty)
        .worker.tick({ budgetMs: 20 * LEASE_MS, signal: faulty.death })
        .catch(() => undefined),
    )
  else await world.work()
  const isOver = async () =>
    (await Promise.all([ids].flat().map(world.read))).every(({ finishedAt }) => finishedAt !== null)
  for (let round = 0; round < 8 && !(await isOver()); round++) {
    await clock.advance(2 * LEASE_MS)
    await world.work()
  }
}
