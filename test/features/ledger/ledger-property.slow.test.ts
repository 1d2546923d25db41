import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ledger } from '../../../src/features/ledger/ledger.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import type { Change } from '../../../src/records/change.ts'
import type { Records } from '../../../src/features/records.ts'
import { FAULTS, through } from '../../support/stores/fault-store.ts'
import { PLANS, playMoney } from '../../support/worlds/money-world.ts'
import type { MoneyStory, Spoil } from '../../support/worlds/money-world.ts'

// For a thorough run: `FC_RUNS=10000`.
const RUNS = Number(process.env.FC_RUNS ?? 150)
const HOUR = 3_600_000

const who = {
  process: fc.constantFrom(0 as const, 1 as const),
  late: fc.nat(20),
  fault: fc.option(
    fc.record({ k: fc.integer({ min: 1, max: 8 }), fault: fc.constantFrom(...FAULTS) }),
    { freq: 4, nil: undefined },
  ),
}
const execution = fc.nat(5)
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('start' as const),
      pages: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('work' as const),
      execution,
      groups: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      ends: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...who, do: fc.constant('cancel' as const), execution }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('refund' as const),
      execution,
      id: fc.nat(3),
      seq: fc.option(fc.nat(8), { nil: undefined }),
      credits: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('top-up' as const),
      id: fc.nat(3),
      credits: fc.integer({ min: 1, max: 30 }),
      days: fc.option(fc.nat(40)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('adjust' as const),
      id: fc.nat(3),
      credits: fc.integer({ min: -30, max: 30 }).filter((credits) => credits !== 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...who,
      do: fc.constant('plan' as const),
      plan: fc.nat(PLANS.length - 1),
      dailyCap: fc.option(fc.integer({ min: 0, max: 15 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...who, do: fc.constant('balance' as const) }) },
)
const story: fc.Arbitrary<MoneyStory> = fc.record({
  rounds: fc.array(
    fc.record({
      events: fc.array(event, { minLength: 1, maxLength: 4 }),
      passes: fc.record({
        ms: fc.constantFrom(0, 0, HOUR, 13 * HOUR, 9 * 24 * HOUR, 33 * 24 * HOUR),
        atTurn: fc.nat(25),
      }),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  price: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(),
})

/** A store that ignores the checks of a commit on these collections, if `when` says so. */
const forgetting =
  (collections: readonly string[], when: (change: Commit) => boolean = () => true) =>
  (store: Store): Store =>
    through(store, (change) =>
      store.commit(
        when(change)
          ? {
              ...change,
              check: (change.check ?? []).filter(
                ({ key }) => !collections.includes(String(key[1])),
              ),
            }
          : change,
      ),
    )
const touches =
  (collection: string, part: 'set' | 'delete') =>
  (change: Commit): boolean =>
    (part === 'set' ? (change.set ?? []).map(({ key }) => key) : (change.delete ?? [])).some(
      (key) => key[1] === collection,
    )

let nth = 0
const BUGS: Readonly<Record<string, Spoil>> = {
  'pages settled in a month that has been closed': {
    store: forgetting(['ledger-period'], touches('progress', 'set')),
  },
  'a release that does not look at the counters again': {
    store: forgetting(['progress'], touches('holds', 'delete')),
  },
  'money that does not look at the wallet again': { store: forgetting(['wallet']) },
  'a share of the day that does not look at what others took': {
    store: forgetting(['spending-days']),
  },
  'a refund that is another one each time it is asked for': {
    ledger: (ledger: Ledger) => ({
      ...ledger,
      refund: (account, refund, now) =>
        ledger.refund(account, { ...refund, id: `${refund.id}-${nth++}` }, now),
    }),
  },
  'a top-up that is credited whenever it is delivered': {
    ledger: (ledger: Ledger) => ({
      ...ledger,
      topUp: (account, topUp, now) =>
        ledger.topUp(account, { ...topUp, id: `${topUp.id}-${nth++}` }, now),
    }),
  },
  'a hold that is forgotten when its execution ends': {
    ledger: (ledger: Ledger) => ({ ...ledger, release: async () => () => {} }),
  },
  'an end that does not see what those before it in its commit have made of the wallet': {
    ledger: (ledger: Ledger) => {
      const entered = new WeakSet<Change>()
      return {
        ...ledger,
        release: async (batch, spender) => {
          const own = ledger.batch(batch.account, batch.now)
          const release = await ledger.release(own, spender)
          return (change, spent) => {
            release(change, spent)
            if (!entered.has(change)) own.write(change)
            entered.add(change)
          }
        },
      }
    },
  },
  'a start that takes no heed of the floor': {
    ledger: (ledger: Ledger, records: Records) => ({
      ...ledger,
      reserve: async (change, account, spender, { credits }, now) => {
        const book = await ledger.open(account, now)
        const lots = book.hold(`${spender.id}:reserve`, credits, now, {
          execution: spender.id,
          task: null,
        })
        records.holds.insert(change, account, {
          execution: spender.id,
          reserved: credits,
          lots,
          openedAt: now,
        })
        book.write(change)
        return credits
      },
    }),
  },
}

describe('the ledger, with executions, crashes, corrections and months in any order', () => {
  test(`always adds up: ${RUNS} stories`, { timeout: 120_000 + RUNS * 400 }, async () => {
    await fc.assert(
      fc.asyncProperty(story, async (one) => {
        expect(await playMoney(one)).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})

/** Stories that lead to a bug which random stories seldom meet. */
const plain = { process: 0, fault: undefined } as const
const still = { ms: 0, atTurn: 0 }
const storyOf = (rounds: MoneyStory['rounds'], seed: number): MoneyStory => ({
  rounds,
  price: 1,
  seed,
})
const ABOUT: Readonly<Record<string, fc.Arbitrary<MoneyStory>>> = {
  'pages settled in a month that has been closed': fc
    .tuple(fc.integer({ min: 10, max: 60 }), fc.integer({ min: 10, max: 40 }), fc.nat())
    .map(([atTurn, late, seed]) =>
      storyOf(
        [
          { events: [{ ...plain, do: 'start', pages: 9 }], passes: still },
          {
            events: [{ ...plain, do: 'work', execution: 0, groups: [], ends: false }],
            passes: still,
          },
          {
            events: [
              {
                process: 0,
                fault: { k: 3, fault: 'stall-before' },
                do: 'work',
                execution: 0,
                groups: [1],
                ends: false,
              },
              { process: 1, late, do: 'balance' },
            ],
            passes: { ms: 33 * 24 * HOUR, atTurn },
          },
        ],
        seed,
      ),
    ),
  'a refund that is another one each time it is asked for': fc.nat().map((seed) =>
    storyOf(
      [
        { events: [{ ...plain, do: 'start', pages: 9 }], passes: still },
        {
          events: [{ ...plain, do: 'work', execution: 0, groups: [4], ends: true }],
          passes: still,
        },
        {
          events: [
            { ...plain, do: 'refund', execution: 0, id: 1, credits: 1 },
            { process: 1, do: 'refund', execution: 0, id: 1, credits: 1 },
          ],
          passes: still,
        },
      ],
      seed,
    ),
  ),
}

/** The check that notices each bug. */
const FINDS: Readonly<Record<string, RegExp>> = {
  'pages settled in a month that has been closed': /a closed month has changed/,
  'a release that does not look at the counters again': /held is \d+, its entries come to/,
  'money that does not look at the wallet again': /wallet is -?\d+, its entries come to/,
  'a share of the day that does not look at what others took':
    /what was taken of a day is not what was spent/,
  'a refund that is another one each time it is asked for': /a refund was entered twice/,
  'a top-up that is credited whenever it is delivered': /a top_up was entered twice/,
  'a hold that is forgotten when its execution ends': /a hold outlives its execution/,
  'an end that does not see what those before it in its commit have made of the wallet':
    /\d+ credits are held, the holds come to \d+/,
  'a start that takes no heed of the floor': /the wallet is below its floor/,
}

describe('planted: the checks notice', () => {
  test.each(Object.keys(BUGS))('%s', async (name) => {
    const broken: string[] = []
    const isSound = fc.asyncProperty(ABOUT[name] ?? story, async (one) => {
      broken.push(...(await playMoney(one, BUGS[name])))
      return broken.length === 0
    })
    expect(
      (await fc.check(isSound, { numRuns: 1_000, endOnFailure: true })).errorInstance,
    ).toMatchObject({ message: 'Property failed by returning false' })
    expect(broken.join('; ')).toMatch(FINDS[name] ?? 'nothing')
  })
})
