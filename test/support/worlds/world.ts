import { uncheckedRecipe } from './unchecked-recipe.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Execution } from '../../../src/features/executions/execution.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { MediaOptions, Platform, PlatformOptions } from '../../../src/platform/options.ts'
import type { Browser } from '../../../src/ports/browser.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import type { Payments } from '../../../src/ports/payments.ts'
import type { PageProcessor } from '../../../src/ports/page-processor.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { Telemetry } from '../../../src/ports/telemetry.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import { createFakePayments } from '../fakes/fake-payments.ts'
import { createFakeWeb } from '../fakes/fake-web.ts'
import type { Answer, FakeWeb } from '../fakes/fake-web.ts'
import { loadAhead } from './load-ahead.ts'
import { seededRandom } from '../fakes/seeded-random.ts'

await loadAhead()

/** The caller in tests of the worker. */
export const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

/** Leases in these worlds, in ms. */
export const LEASE_MS = 30_000

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** A platform with a web, a clock and a store that the test controls. */
export interface World {
  readonly clock: FakeClock
  readonly web: FakeWeb
  readonly store: Store
  readonly blobs: Blobs
  readonly platform: Platform
  /** The texts of messages by mail. */
  readonly mailed: readonly string[]
  /** Another process on the same store, blobs, web and clock; or this one behind a faulty store. */
  join(store?: Store): Platform
  start(recipe: Json): Promise<string>
  /** Works until nothing is due. */
  work(platform?: Platform): Promise<void>
  read(execution: string): Promise<Execution>
  rows(execution: string): Promise<Row[]>
  receipt(execution: string): Promise<{ url: string; outcome: string; code: string | null }[]>
}

/** Makes a world whose web has only `pages`. */
export function createWorld(
  pages: Record<string, Answer>,
  options: {
    clock?: FakeClock
    store?: Store
    blobs?: Blobs
    processor?: PageProcessor
    browser?: Browser
    model?: NonNullable<PlatformOptions['model']>
    modelLimits?: NonNullable<PlatformOptions['modelLimits']>
    media?: MediaOptions
    billing?: NonNullable<PlatformOptions['billing']>
    payments?: Payments
    search?: NonNullable<PlatformOptions['search']>
    fetcher?: Fetcher
    telemetry?: Telemetry
    keptPages?: NonNullable<PlatformOptions['keptPages']>
    operator?: boolean
    /** Executions at the same time. */
    concurrency?: number
    templates?: NonNullable<PlatformOptions['templates']>
    /** The path at which the platform is mounted, and its offers there. */
    mount?: Pick<PlatformOptions, 'basePath' | 'publicUrl' | 'mcp'>
  } = {},
): World {
  const clock = options.clock ?? createFakeClock()
  const web = createFakeWeb(pages)
  const store = options.store ?? createMemoryStore({ clock })
  const blobs = options.blobs ?? createMemoryBlobs()
  const mailed: string[] = []
  let seed = 1
  const join = (joined: Store = store): Platform =>
    createPlatform({
      store: joined,
      blobs,
      fetcher: options.fetcher ?? web,
      clock,
      random: seededRandom(seed++),
      logger: silent,
      rateLimits: false,
      mail: {
        async send({ text }) {
          mailed.push(text)
          return null
        },
      },
      worker: {
        leaseMs: LEASE_MS,
        ...(options.concurrency && { concurrency: options.concurrency }),
      },
      ...(options.media && { media: options.media }),
      ...options.mount,
      ...(options.operator && { operator: true }),
      ...(options.templates && { templates: options.templates }),
      ...(options.keptPages && { keptPages: options.keptPages }),
      ...(options.billing && { billing: options.billing }),
      payments: options.payments ?? createFakePayments(),
      ...(options.browser && { browser: options.browser }),
      ...(options.search && { search: options.search }),
      ...(options.telemetry && { telemetry: options.telemetry }),
      ...(options.model && { model: options.model }),
      ...(options.modelLimits && { modelLimits: options.modelLimits }),
      ...(options.processor && { processor: options.processor }),
    })
  const platform = join()
  const all = async <T>(
    read: (cursor?: string) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
  ): Promise<T[]> => {
    const items: T[] = []
    for (let page = await read(); ; page = await read(page.nextCursor)) {
      items.push(...page.items)
      if (page.nextCursor === null) return items
    }
  }
  return {
    clock,
    web,
    store,
    blobs,
    platform,
    mailed,
    join,
    async start(recipe) {
      const task = await platform.api.tasks.create(OWNER, {
        name: 'test',
        recipe: uncheckedRecipe(recipe),
      })
      return (await platform.api.executions.start(OWNER, task.id)).id
    },
    work: (worker = platform) => clock.runUntil(worker.worker.tick()),
    read: (execution) => platform.api.executions.get(OWNER, execution),
    rows: (execution) =>
      all((cursor) =>
        platform.api.results.list(OWNER, execution, {
          limit: 100,
          ...(cursor !== undefined && { cursor }),
        }),
      ),
    async receipt(execution) {
      const lines = await all((cursor) =>
        platform.api.executions.pages(OWNER, execution, {
          limit: 100,
          ...(cursor !== undefined && { cursor }),
        }),
      )
      return lines.map(({ url, outcome, reason }) => ({ url, outcome, code: reason?.code ?? null }))
    },
  }
}
