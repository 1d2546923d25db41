import { Fence } from '../../../src/crawl/commit/fence.ts'
import { Frontier } from '../../../src/crawl/commit/frontier.ts'
import { Journal } from '../../../src/crawl/commit/journal.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { beginExecution } from '../../../src/features/executions/lifecycle.ts'
import type { ExecutionRecord, ProgressRecord } from '../../../src/features/executions/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createCore } from '../../../src/platform/core.ts'
import { DEFAULT_PRICES } from '../../../src/kernel/price.ts'
import { StillLeases } from '../../../src/kernel/leases.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import type { Stored } from '../../../src/records/collection.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import { seededRandom } from '../fakes/seeded-random.ts'

export const ACCOUNT = 'acme'
export const EXECUTION = 'exec'
const LEASE_MS = 30_000
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * One execution on a memory store, without a worker: a test takes its fence and writes its commits
 * itself, in any order. `spoil` replaces the store of the run; `storeOf` makes the one that it
 * gets.
 */
export async function openRun(
  recipe: Parameters<typeof compileRecipe>[0],
  spoil = (store: Store): Store => store,
  storeOf: typeof createMemoryStore = createMemoryStore,
) {
  const clock = createFakeClock()
  const base = storeOf({ clock })
  const core = createCore({
    store: spoil(base),
    blobs: createMemoryBlobs(),
    clock,
    random: seededRandom(),
    logger: silent,
    billing: { plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 100 }] },
  })
  const { records, ledger } = core
  const stillLeases = new StillLeases(LEASE_MS)
  const plan = compileRecipe(recipe)
  const change = new Change()
  await beginExecution(
    core,
    change,
    ACCOUNT,
    { id: EXECUTION, taskId: null, recipe: {}, retryOf: null },
    plan,
    clock.now(),
  )
  await createRecords(base).commit(change)
  const execution = async (): Promise<Stored<ExecutionRecord>> =>
    present(await records.executions.get(ACCOUNT, EXECUTION))
  const progress = async (): Promise<Stored<ProgressRecord>> =>
    present(await records.progress.get(ACCOUNT, EXECUTION))
  return {
    clock,
    records,
    ledger,
    execution,
    progress,
    /** `now`: the time of the worker's clock. */
    takeFence: async (holder: string, now = clock.now()) =>
      Fence.take(records, ACCOUNT, await execution(), {
        holder,
        now,
        leaseMs: LEASE_MS,
        stillLeases,
      }),
    openJournal: async (fence: Fence) =>
      new Journal({
        records,
        blobs: createMemoryBlobs(),
        clock,
        account: ACCOUNT,
        taskId: null,
        startedBy: undefined,
        weigh: null,
        plan,
        ledger,
        prices: DEFAULT_PRICES,
        fence,
        frontier: new Frontier(records, ACCOUNT, EXECUTION),
        progress: await progress(),
        keepBytes: 0,
        cache: null,
        onSettled: () => {},
      }),
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('The record is missing')
  return value
}
