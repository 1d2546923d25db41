import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { StillLeases } from '../../../src/kernel/leases.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Ledger } from '../../../src/features/ledger/ledger.ts'
import { planOf, tariffOf } from '../../../src/features/ledger/plans.ts'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import { createExecutions } from '../../../src/features/executions/service.ts'
import { createRecipes } from '../../../src/features/recipes/service.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Records } from '../../../src/features/records.ts'
import { Fence, Overtaken } from '../../../src/crawl/commit/fence.ts'
import { finish } from '../../../src/crawl/commit/finish.ts'
import { Frontier } from '../../../src/crawl/commit/frontier.ts'
import { Journal } from '../../../src/crawl/commit/journal.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { Crash, FaultStore } from '../stores/fault-store.ts'
import type { Fault } from '../stores/fault-store.ts'
import { CheckedStore } from './invariants.ts'
import { watchMoney } from './money-checks.ts'
import { createCore } from '../../../src/platform/core.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { Turns } from '../fakes/turns.ts'

const ACCOUNT = 'acme'
const OWNER = { account: ACCOUNT, user: 'ann', scopes: ['*'] } as const
const DAY_MS = 86_400_000
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Plans that an account can be moved between; the first is the one it begins with. */
export const PLANS: readonly [PlanDefinition, ...PlanDefinition[]] = [
  { id: 'small', name: 'Small', creditsPerMonth: 40, dailyCap: 12 },
  {
    id: 'large',
    name: 'Large',
    creditsPerMonth: 60,
    overdraft: 10,
    dailyCap: 20,
    concurrentExecutions: 3,
    creditsExpire: { months: 2 },
  },
  {
    id: 'kept',
    name: 'Kept',
    creditsPerMonth: 25,
    creditsExpire: 'never',
    concurrentExecutions: 2,
    dailyCap: 12,
  },
]

/** An event of an account's money. Executions have numbers in the order of their start. */
export type MoneyEvent = {
  readonly process: 0 | 1
  /** The number of turns before it begins. */ readonly late?: number
  readonly fault?: { readonly k: number; readonly fault: Fault } | undefined
} & (
  | { readonly do: 'start'; readonly pages: number }
  | {
      readonly do: 'work'
      readonly execution: number
      readonly groups: readonly number[]
      readonly ends: boolean
    }
  | { readonly do: 'cancel'; readonly execution: number }
  | {
      readonly do: 'refund'
      readonly execution: number
      readonly id: number
      readonly seq?: number | undefined
      readonly credits?: number | undefined
    }
  | {
      readonly do: 'top-up'
      readonly id: number
      readonly credits: number
      readonly days: number | null
    }
  | { readonly do: 'adjust'; readonly id: number; readonly credits: number }
  | { readonly do: 'plan'; readonly plan: number; readonly dailyCap: number | null }
  | { readonly do: 'balance' }
)

/** Events at the same time, during which time may pass. */
export interface MoneyRound {
  readonly events: readonly MoneyEvent[]
  readonly passes: { readonly ms: number; readonly atTurn: number }
}

/** A whole story. */
export interface MoneyStory {
  readonly rounds: readonly MoneyRound[]
  readonly price: number
  readonly seed: number
}

/** A bug that a test plants, to see that it is noticed. */
export interface Spoil {
  readonly store?: (store: Store) => Store
  readonly ledger?: (ledger: Ledger, records: Records) => Ledger
}

/**
 * Plays a story with several processes on one store, with their calls in random order; returns the
 * broken rules.
 */
export async function playMoney(
  { rounds, price, seed }: MoneyStory,
  spoil: Spoil = {},
): Promise<readonly string[]> {
  let now = Date.parse('2026-01-30T20:00:00Z')
  const bytes = seededRandom(seed)
  let turn = 0
  let jump: MoneyRound['passes'] = { ms: 0, atTurn: -1 }
  const turns = new Turns(
    () => (bytes(1)[0] ?? 0) / 256,
    () => {
      if (turn++ === jump.atTurn) now += jump.ms
    },
  )
  const clock: Clock = { now: () => now, sleep: () => turns.take() }
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const allowed = { floor: 0, cap: 12 }
  const { check, broken, replay } = watchMoney(base, ACCOUNT, allowed)
  const shared = turns.around(new CheckedStore(spoil.store?.(base) ?? base, check))
  const tariff = tariffOf({ plans: PLANS, prices: { fetched: price } })
  const started: string[] = []
  let processes = 0

  const open = (store: Store) => {
    const number = ++processes
    const initialCore = createCore({
      store,
      blobs,
      clock,
      random: seededRandom(seed + number),
      logger: silent,
      billing: tariff,
    })
    const { records } = initialCore
    const ledger = spoil.ledger?.(initialCore.ledger, records) ?? initialCore.ledger
    const core = { ...initialCore, ledger }
    const executions = createExecutions(core, {
      recipes: createRecipes(),
      wake() {},
      interrupt() {},
      changed() {},
    })
    let holders = 0

    /** Settles like the worker: under the fence, from the share of the day. */
    const work = async (id: string, groups: readonly number[], ends: boolean): Promise<void> => {
      const execution = await records.executions.get(ACCOUNT, id)
      if (
        !execution ||
        (execution.value.status !== 'queued' && execution.value.status !== 'running')
      )
        return
      const fence = await Fence.take(records, ACCOUNT, execution, {
        holder: `p${number}-${++holders}`,
        now,
        leaseMs: 0,
        stillLeases: new StillLeases(0),
      })
      const progress = await records.progress.get(ACCOUNT, id)
      if (!(fence instanceof Fence) || !progress) return
      const plan = compileRecipe(parseRecipe(execution.value.recipe))
      const frontier = new Frontier(records, ACCOUNT, id)
      await frontier.remember(progress.value.discovered === 0)
      const journal = new Journal({
        records,
        blobs,
        clock,
        account: ACCOUNT,
        taskId: null,
        weigh: null,
        startedBy: undefined,
        plan,
        ledger,
        prices: tariff.prices,
        fence,
        frontier,
        progress,
        cache: null,
        keepBytes: 0,
        onSettled() {},
      })
      if (!journal.progress.seeded)
        await journal.write({
          seeds: plan.startUrls.map((url) => ({ url, label: 'start', depth: 0, hop: 1 })),
          seeded: true,
        })
      await frontier.refill()
      for (const size of groups) {
        const share = await ledger.takeShare(
          ACCOUNT,
          id,
          journal.stored,
          { least: 1, most: size * price },
          now,
        )
        const most =
          share === null
            ? size
            : Math.min(size, Math.floor((share.until - journal.progress.credits) / price))
        const group = Array.from({ length: Math.max(0, most) }, () => frontier.next()).filter(
          (entry) => entry !== null,
        )
        if (group.length > 0)
          await journal.write({
            outcomes: group.map((entry) =>
              emptyOutcome(entry, entry.seq % 4 === 3 ? 'failed' : 'fetched', null),
            ),
          })
      }
      if (ends) await finish(core, ACCOUNT, id, fence, { status: 'succeeded', reason: null }, now)
    }

    const happen = async (event: MoneyEvent): Promise<void> => {
      const execution =
        'execution' in event ? started[event.execution % Math.max(1, started.length)] : undefined
      switch (event.do) {
        case 'start': {
          const recipe = {
            start: {
              urls: Array.from({ length: event.pages }, (_, i) => `https://shop.example.com/${i}`),
            },
            extract: { fields: { title: 'h1' } },
          }
          return void started.push((await executions.run(OWNER, { recipe, templateId: 'test' })).id)
        }
        case 'work':
          return execution === undefined ? undefined : work(execution, event.groups, event.ends)
        case 'cancel':
          return execution === undefined
            ? undefined
            : void (await executions.cancel(OWNER, execution))
        case 'refund': {
          if (execution === undefined) return
          const { seq, credits } = event
          return void (await ledger.refund(
            ACCOUNT,
            {
              id: `r${event.id}`,
              execution,
              note: `r${event.id}`,
              ...(seq !== undefined && { seq }),
              ...(credits !== undefined && { credits }),
            },
            now,
          ))
        }
        case 'top-up':
          return void (await ledger.topUp(
            ACCOUNT,
            {
              id: `t${event.id}`,
              credits: event.credits,
              expiresAt: event.days === null ? null : now + event.days * DAY_MS,
              note: `t${event.id}`,
            },
            now,
          ))
        case 'adjust':
          return void (await ledger.adjust(
            ACCOUNT,
            { id: `a${event.id}`, credits: event.credits, note: `a${event.id}` },
            now,
          ))
        case 'plan': {
          const { id } = PLANS[event.plan] ?? PLANS[0]
          const before = await records.subscriptions.get(ACCOUNT)
          const change = new Change()
          const after = { plan: id, since: now, dailyCap: event.dailyCap }
          if (before) records.subscriptions.update(change, ACCOUNT, before, after)
          else records.subscriptions.insert(change, ACCOUNT, after)
          allowed.floor = Math.min(allowed.floor, -(planOf(tariff, id).overdraft ?? 0))
          allowed.cap = Math.max(allowed.cap, planOf(tariff, id).dailyCap ?? Infinity)
          return void (await records.commit(change))
        }
        case 'balance':
          return void (await ledger.balance(ACCOUNT, now))
      }
    }
    return { ledger, happen: (event: MoneyEvent) => happen(event).catch(unlessExpected) }
  }

  const steady = [open(shared), open(shared)] as const
  const play = async (event: MoneyEvent): Promise<void> => {
    const { process, fault, late = 0 } = event
    for (let turnsLate = late; turnsLate > 0; turnsLate--) await turns.take()
    return fault
      ? open(
          new FaultStore(shared, fault.k, fault.fault, {
            onStall: () =>
              Promise.all(Array.from({ length: 20 }, () => turns.take())).then(() => undefined),
          }),
        ).happen(event)
      : steady[process].happen(event)
  }
  const settled = async (): Promise<void> => {
    for (const { ledger } of steady) {
      const { credits } = await turns.run(ledger.balance(ACCOUNT, now))
      if (JSON.stringify(credits) !== JSON.stringify(await replay()))
        broken.add('the balance is not what the entries come to')
    }
  }

  for (const { events, passes } of rounds) {
    jump = { ms: passes.ms, atTurn: turn + passes.atTurn }
    await turns.run(Promise.all(events.map(play)))
    if (turn <= jump.atTurn) now += jump.ms
    await settled()
  }
  jump = { ms: 0, atTurn: -1 }
  // A process that crashed may have started one without an answer.
  const all = await createRecords(base).executions.list(ACCOUNT, { limit: 1_000 })
  started.splice(0, started.length, ...all.map(({ value }) => value.id))
  // First those of one process at the same time, so that they end together; then the rest.
  await turns.run(
    Promise.all(
      started.map((_, i) =>
        play({
          do: 'work',
          process: i % 3 === 2 ? 1 : 0,
          execution: i,
          groups: [i % 4],
          ends: true,
        }),
      ),
    ),
  )
  await settled()
  for (let i = 0; i < started.length; i++)
    await turns.run(play({ do: 'work', process: 0, execution: i, groups: [3], ends: true }))
  await settled()
  const left = await createRecords(base).wallets.get(ACCOUNT)
  if (left && left.value.credits.held !== 0)
    broken.add('credits are held when everything has ended')
  return [...broken]
}

/** The allowed errors of an event because of other events, or of a failing store. */
function unlessExpected(error: unknown): void {
  if (error instanceof Crash || error instanceof Overtaken || error instanceof PlatformError) return
  if (
    error instanceof Error &&
    /^The (store is unavailable|answer of the store was lost)/.test(error.message)
  )
    return
  throw error
}
