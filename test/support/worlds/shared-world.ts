import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Browser } from '../../../src/ports/browser.ts'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import type { Model } from '../../../src/ports/model.ts'
import type { Store } from '../../../src/ports/store.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import { rowsFolder } from '../../../src/features/executions/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import { createFakeWeb } from '../fakes/fake-web.ts'
import type { Answer } from '../fakes/fake-web.ts'
import { History } from '../../model/history.ts'
import { CheckedStore, fingerprint, watch } from './invariants.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { createReadBlobs, parsedOnce } from './checks/read-again.ts'
import { OWNER, createWorld } from './world.ts'
import type { World } from './world.ts'

/** Leases of these processes, in ms. */
export const LEASE_MS = 6_000
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** A request of a process to a host. */
export interface Asked {
  readonly process: string
  readonly host: string
  readonly path: string
  readonly from: number
  to: number
}

/** A process that works beside others on one store. */
export interface Process {
  readonly name: string
  readonly platform: Platform
  /** Ends it like a kill: its later calls reach neither store nor web. */
  kill(): void
  /** Ends it like a signal: it returns its jobs. */
  stop(): Promise<void>
}

/** Several processes on one store, one clock and one slow web. */
export interface SharedWorld {
  readonly clock: FakeClock
  readonly blobs: Blobs
  readonly world: World
  readonly asked: Asked[]
  /** Compares each commit with the model. */
  readonly history: History
  readonly broken: Set<string>
  spawn(name: string, spoil?: (store: Store, die: () => void) => Store): Process
  /** Lets time pass until the execution has ended. `each` is called every 100 ms, and waited for. */
  until(execution: string, each?: (ms: number) => unknown): Promise<void>
  /** The number of workers in a row that the job has lost without progress. */
  lost(execution: string): Promise<number>
  /** The errors after the end. */
  faults(execution: string, rows: readonly Json[]): Promise<string[]>
}

/** The options of a {@link SharedWorld}. */
export interface SharedWorldOptions {
  /** Processes that may work on one execution. */
  readonly share?: number
  readonly latencyMs?: number
  /** The largest number of requests at the same time over all processes. */
  readonly together?: number
  readonly browser?: Browser
  readonly model?: Model
  /** Items of media that an execution may take. */
  readonly mediaItems?: number
}

/**
 * Makes a world in which several processes share each execution, and everything is checked after
 * each commit.
 */
export function createSharedWorld(
  pages: Record<string, Answer>,
  {
    share = 3,
    latencyMs = 300,
    together = Infinity,
    browser,
    model,
    mediaItems,
  }: SharedWorldOptions = {},
): SharedWorld {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const { blobs, unchanged } = createReadBlobs()
  const web = createFakeWeb(pages)
  const { check, broken } = watch(parsedOnce(base), unchanged, OWNER.account)
  const history = new History((promise) => broken.add(promise))
  const store = new CheckedStore(history.follow(base), check)
  const world = createWorld(pages, {
    store,
    blobs,
    clock,
    ...(browser && { browser }),
    ...(model && { model }),
  })
  const requests: Asked[] = []
  const running = new Set<Process>()
  let seed = 100

  const slowWeb = (process: string, death: AbortSignal): Fetcher => ({
    capabilities: web.capabilities,
    resolve: (...args) => web.resolve(...args),
    async send(request) {
      const one: Asked = {
        process,
        host: request.url.host,
        path: request.url.pathname,
        from: clock.now(),
        to: Infinity,
      }
      requests.push(one)
      try {
        await clock.sleep(latencyMs, AbortSignal.any([request.signal, death]))
        return await web.send(request)
      } finally {
        one.to = clock.now()
      }
    },
    close: async () => {},
  })

  return {
    clock,
    blobs,
    world,
    asked: requests,
    broken,
    history,
    spawn(name, spoil = (own) => own) {
      const death = new AbortController()
      const die = (): void => death.abort()
      const alive = (own: Store): Store => ({
        get: (keys) => (death.signal.aborted ? Promise.reject(new Error('dead')) : own.get(keys)),
        list: (range) =>
          death.signal.aborted ? Promise.reject(new Error('dead')) : own.list(range),
        commit: (change) =>
          death.signal.aborted ? Promise.reject(new Error('dead')) : own.commit(change),
        close: async () => {},
      })
      const platform = createPlatform({
        store: alive(spoil(alive(store), die)),
        blobs,
        clock,
        random: seededRandom(seed++),
        logger: silent,
        rateLimits: false,
        fetcher: slowWeb(name, death.signal),
        ...(browser && { browser }),
        ...(model && { model }),
        ...(mediaItems !== undefined && { media: { maxItemsPerExecution: mediaItems } }),
        worker: { leaseMs: LEASE_MS, share },
      })
      const stop = new AbortController()
      const run = platform.worker.run({ signal: stop.signal }).catch(() => undefined)
      death.signal.addEventListener('abort', () => {
        stop.abort()
        running.delete(process)
      })
      const process: Process = {
        name,
        platform,
        kill: die,
        async stop() {
          stop.abort()
          running.delete(process)
          await run
        },
      }
      running.add(process)
      return process
    },
    async until(execution, each = () => {}) {
      const records = createRecords(parsedOnce(base))
      const start = clock.now()
      for (let ms = 0; ms < 20 * 60_000; ms += 100) {
        await clock.advance(100)
        await each(clock.now() - start)
        if ((await records.executions.get(OWNER.account, execution))?.value.finishedAt) return
      }
    },
    async lost(execution) {
      const jobs = await createRecords(base).jobs.list(SYSTEM, { limit: 100 })
      return Math.max(
        0,
        ...jobs.map(({ value }) =>
          JSON.stringify(value.data).includes(execution) ? (value.lost?.length ?? 0) : 0,
        ),
      )
    },
    async faults(execution, rows) {
      const records = createRecords(base)
      await clock.advance(4 * LEASE_MS)
      const stops = Promise.all([...running].map((process) => process.stop()))
      await clock.runUntil(stops)
      await check()
      const { status } = await world.read(execution)
      if (status !== 'succeeded') broken.add(`the execution is ${status}`)
      // Links to media are made when they are read.
      const shown = fingerprint(await world.rows(execution)).map((row) =>
        row.replaceAll(/"url":"\/media\/[^"]*",/g, ''),
      )
      if (
        JSON.stringify(shown.toSorted()) !==
        JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted())
      )
        broken.add('the rows are not exact')
      const slice = { within: [execution], limit: 10 }
      const left: unknown[][] = await Promise.all(
        [records.sharedRuns, records.memberships, records.assignments, records.reports].map(
          (letters) => letters.list(OWNER.account, slice),
        ),
      )
      left.push(await records.calls.list(SYSTEM, { limit: 10 }))
      if (left.some((lists) => lists.length > 0))
        broken.add('something of the shared run is left over')
      if ((await blobs.list(`${rowsFolder(execution)}reports/`)).length > 0)
        broken.add('a page of a helper is left over')
      const ids = new Set(JSON.stringify(rows).match(/med_\w+/g))
      const media = await records.media.list(OWNER.account, { limit: 1_000 })
      if (media.length !== ids.size || !media.every(({ value }) => ids.has(value.id)))
        broken.add('the records of media are not exact')
      for (const { value } of media)
        if ((await blobs.get(mediaBlob(value)))?.length !== value.bytes)
          broken.add('a record of media has no blob')
      if ((await blobs.list('media/')).length !== ids.size)
        broken.add('the blobs of media are not exact')
      // A late sweep waits until no write of a dead worker can have an effect any more.
      const jobs = await records.jobs.list(SYSTEM, { limit: 10 })
      if (jobs.some(({ value }) => !value.id.endsWith(':late'))) broken.add('a job is left over')
      for (const [i, one] of requests.entries()) {
        for (const other of requests.slice(i + 1))
          if (one.host === other.host && one.process !== other.process && other.from < one.to)
            broken.add(`${one.process} and ${other.process} asked ${one.host} at once`)
      }
      const most = Math.max(
        ...requests.map(
          (one) => requests.filter(({ from, to }) => from <= one.from && one.from < to).length,
        ),
      )
      if (most > together) broken.add(`${most} requests at once`)
      return [...broken]
    },
  }
}
