import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { sumOfLots } from '../../../src/features/ledger/credits.ts'
import type { Adjustment, Refund, TopUp } from '../../../src/features/ledger/corrections.ts'
import { createLedger } from '../../../src/features/ledger/ledger.ts'
import type { PlanDefinition, Tariff } from '../../../src/features/ledger/plans.ts'
import { createIds } from '../../../src/kernel/id.ts'
import { Change } from '../../../src/records/change.ts'
import { emptyProgress } from '../../../src/features/executions/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const JUNE = Date.parse('2026-06-15T12:00:00Z')
const DAY = 86_400_000
const plan: PlanDefinition = { id: 'pro', name: 'Pro', creditsPerMonth: 100 }

function ledgerWith(changes: Partial<PlanDefinition> = {}, tariff: Partial<Tariff> = {}) {
  const records = createRecords(createMemoryStore())
  let now = JUNE
  const ledger = createLedger({
    records,
    ids: createIds({ now: () => now, random: seededRandom() }),
    tariff: {
      plans: [{ ...plan, ...changes }],
      prices: { fetched: 1 },
      lowBalance: null,
      ...tariff,
    },
  })
  const within = async (work: (change: Change) => Promise<unknown>) => {
    const change = new Change()
    await work(change)
    expect(await records.commit(change)).toBe(true)
  }
  return {
    records,
    ledger,
    pass: (ms: number) => void (now += ms),
    reserve: (id: string, credits: number, least = credits) =>
      within((change) =>
        ledger.reserve(change, 'acme', { id, taskId: null }, { credits, least }, now),
      ),
    settle: (id: string, index: number, credits: number) =>
      within(async (change) => {
        ledger.settle(
          change,
          'acme',
          await ledger.period('acme', now),
          { id, taskId: null },
          index,
          [[index, 'fetched', credits]],
          now,
        )
        records.progress.put(change, 'acme', {
          ...emptyProgress(id),
          credits: credits + ((await records.progress.get('acme', id))?.value.credits ?? 0),
        })
      }),
    release: (id: string) =>
      within(async (change) => {
        const batch = ledger.batch('acme', now)
        const release = await ledger.release(batch, { id, taskId: null })
        release(change, (await records.progress.get('acme', id))?.value.credits ?? 0)
        batch.write(change)
      }),
    /** An execution that has ended, and has spent each of `credits` on a page of its own. */
    async spend(id: string, credits: number) {
      await this.reserve(id, credits)
      for (let i = 0; i < credits; i++) await this.settle(id, i, 1)
      await this.release(id)
      await within(async (change) => {
        records.executions.insert(change, 'acme', {
          id,
          taskId: 'task_1',
          recipe: {},
          status: 'succeeded',
          reason: null,
          retryOf: null,
          createdAt: now,
          startedAt: now,
          finishedAt: now,
          updatedAt: now,
        })
        for (let seq = 0; seq < credits; seq++)
          records.visits.put(change, 'acme', {
            execution: id,
            seq,
            url: 'https://example.com/',
            finalUrl: null,
            label: 'start',
            depth: 0,
            outcome: 'fetched',
            reason: null,
            httpStatus: 200,
            rows: 0,
            bytes: 0,
            durationMs: 0,
            credits: 1,
            at: now,
          })
      })
    },
    refund: (refund: Refund) => ledger.refund('acme', refund, now),
    adjust: (adjustment: Adjustment) => ledger.adjust('acme', adjustment, now),
    topUp: (topUp: TopUp) => ledger.topUp('acme', topUp, now),
    warnings: async () =>
      (await records.outbox.list('~', { limit: 100 }))
        .map(({ value }) => JSON.stringify(value.data))
        .filter((data) => data.includes('balance.low')),
    balance: async () => (await ledger.balance('acme', now)).credits,
    entries: async () =>
      (await records.ledger.list('acme', { limit: 100 })).map(
        ({ value }) => [value.period, value.kind, value.moves] as const,
      ),
    lots: async () => sumOfLots((await ledger.open('acme', now)).lots),
  }
}

describe('an execution', () => {
  test('reserves credits, settles pages, and returns the rest', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    expect(await book.balance()).toEqual({
      wallet: 40,
      held: 60,
      revenue: 0,
      grants: -100,
      expired: 0,
    })
    await book.settle('e1', 0, 10)
    await book.settle('e1', 1, 15)
    expect(await book.balance()).toEqual({
      wallet: 40,
      held: 35,
      revenue: 25,
      grants: -100,
      expired: 0,
    })
    await book.release('e1')
    expect(await book.balance()).toEqual({
      wallet: 75,
      held: 0,
      revenue: 25,
      grants: -100,
      expired: 0,
    })
    expect((await book.entries()).map(([, kind]) => kind)).toEqual([
      'grant',
      'reserve',
      'settle',
      'settle',
      'release',
    ])
    expect(await book.lots()).toBe(75)
  })

  test('is refused with the figures if the wallet is below its estimate', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    await expect(book.reserve('e2', 41)).rejects.toMatchObject({
      code: 'PAYMENT_REQUIRED',
      message: expect.stringMatching(/41 credits, but only 40 can be spent/),
    })
    await book.reserve('e3', 40)
    expect((await book.balance()).wallet).toBe(0)
  })

  test('reserves the whole wallet if that is below its estimate, but enough to begin', async () => {
    const book = ledgerWith({ overdraft: 5 })
    await book.reserve('e1', 60)
    await book.reserve('e2', 10_000, 45)
    expect(await book.balance()).toMatchObject({ wallet: -5, held: 105 })
    await expect(book.reserve('e3', 10_000, 1)).rejects.toMatchObject({
      message: expect.stringMatching(/^The first page may cost 1 .* only 0 .*105 set aside/),
      limit: { of: 'credits', needed: 1, available: 0 },
    })
  })

  test('may overdraw the wallet as far as the plan lets it', async () => {
    const book = ledgerWith({ overdraft: 50 })
    await book.reserve('e1', 150)
    await expect(book.reserve('e2', 1)).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' })
    await book.settle('e1', 0, 120)
    await book.release('e1')
    expect(await book.balance()).toMatchObject({ wallet: -20, revenue: 120 })
    expect(await book.lots()).toBe(0)
  })

  test('cannot settle one commit twice, and cannot reserve twice', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 10)
    await expect(book.reserve('e1', 10)).rejects.toThrow(/expected false to be true/)
    await book.settle('e1', 0, 1)
    await expect(book.settle('e1', 0, 1)).rejects.toThrow(/expected false to be true/)
  })
})

describe('months', () => {
  test('grant the credits of the plan once, and take the rest away at their end', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 30)
    await book.settle('e1', 0, 30)
    await book.release('e1')
    book.pass(30 * DAY)
    expect(await book.balance()).toEqual({
      wallet: 100,
      held: 0,
      revenue: 30,
      grants: -200,
      expired: 70,
    })
    expect((await book.entries()).map(([period, kind]) => `${period} ${kind}`)).toEqual([
      '2026-06 grant',
      '2026-06 reserve',
      '2026-06 settle',
      '2026-06 expire',
      '2026-07 grant',
    ])
    expect(
      (await book.records.outbox.list('~', { limit: 10 })).map(({ value }) => value.id),
    ).toEqual(['statement:acme:2026-06'])
  })

  test('that are closed before a commit refuse its pages', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 10)
    const june = await book.ledger.period('acme', JUNE)
    const july = JUNE + 30 * DAY
    expect((await book.ledger.period('acme', july)).value.open).toBe('2026-07')
    const change = new Change()
    book.ledger.settle(
      change,
      'acme',
      june,
      { id: 'e1', taskId: null },
      0,
      [[0, 'fetched', 1]],
      july,
    )
    expect(await book.records.commit(change)).toBe(false)
  })

  test('without any request are made up for one by one', async () => {
    const book = ledgerWith({ creditsExpire: 'never' })
    await book.balance()
    book.pass(100 * DAY)
    expect(await book.balance()).toMatchObject({ wallet: 400, grants: -400 })
  })

  test('let credits of a hold expire that return after their time', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    book.pass(30 * DAY)
    expect(await book.balance()).toMatchObject({ wallet: 100, held: 60, expired: 40 })
    await book.release('e1')
    expect(await book.balance()).toMatchObject({ wallet: 100, held: 0, expired: 100 })
  })
})

describe('a refund', () => {
  const note = 'The site was down'

  test('returns the credits of a page once', async () => {
    const book = ledgerWith()
    await book.spend('e1', 5)
    const entry = await book.refund({ id: 'r1', execution: 'e1', seq: 2, note })
    expect(entry).toMatchObject({
      kind: 'refund',
      cause: 'refund:r1',
      execution: 'e1',
      task: 'task_1',
      note,
      moves: { revenue: -1, wallet: 1 },
      pages: [[2, 'fetched', 1]],
    })
    expect(await book.refund({ id: 'r1', execution: 'e1', seq: 2, note })).toEqual(entry)
    await expect(book.refund({ id: 'r2', execution: 'e1', seq: 2, note })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/refunded already/),
    })
    expect(await book.balance()).toMatchObject({ wallet: 96, revenue: 4 })
  })

  test('returns no more than was spent, whether it is of a page, of a part or of everything', async () => {
    const book = ledgerWith()
    await book.spend('e1', 5)
    await book.refund({ id: 'r1', execution: 'e1', seq: 0, note })
    await book.refund({ id: 'r2', execution: 'e1', credits: 2, note })
    await expect(
      book.refund({ id: 'r3', execution: 'e1', credits: 3, note }),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/2 credits of the execution can be refunded, and 3/),
    })
    expect((await book.refund({ id: 'r4', execution: 'e1', note })).moves).toEqual({
      revenue: -2,
      wallet: 2,
    })
    await expect(book.refund({ id: 'r5', execution: 'e1', note })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    await expect(book.refund({ id: 'r6', execution: 'e1', seq: 1, note })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(await book.balance()).toMatchObject({ wallet: 100, revenue: 0 })
  })

  test('is refused for unfinished executions and unknown pages', async () => {
    const book = ledgerWith()
    await book.spend('e1', 1)
    await expect(book.refund({ id: 'r1', execution: 'e2', note })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(book.refund({ id: 'r1', execution: 'e1', seq: 9, note })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'Page not found',
    })
    await expect(
      book.refund({ id: 'r1', execution: 'e1', credits: 0.5, note }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: 'credits' }] })
    const execution = await book.records.executions.get('acme', 'e1')
    if (!execution) throw new Error('no execution')
    const change = new Change()
    book.records.executions.update(change, 'acme', execution, {
      ...execution.value,
      status: 'running',
      finishedAt: null,
    })
    await book.records.commit(change)
    await expect(book.refund({ id: 'r1', execution: 'e1', note })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/running/),
    })
  })

  test('of a closed month is entered into the open one', async () => {
    const book = ledgerWith()
    await book.spend('e1', 5)
    book.pass(30 * DAY)
    expect(await book.refund({ id: 'r1', execution: 'e1', note })).toMatchObject({
      period: '2026-07',
    })
  })
})

describe('top-ups and adjustments', () => {
  test('are made once for each id', async () => {
    const book = ledgerWith()
    const bought = await book.topUp({ id: 'p1', credits: 50 })
    expect(await book.topUp({ id: 'p1', credits: 50 })).toEqual(bought)
    await expect(book.topUp({ id: 'p1', credits: 60 })).rejects.toMatchObject({ code: 'CONFLICT' })
    const adjustment = await book.adjust({ id: 'p1', credits: 7, note: 'For your patience' })
    expect(await book.adjust({ id: 'p1', credits: 7, note: 'For your patience' })).toEqual(
      adjustment,
    )
    expect(await book.balance()).toEqual({
      wallet: 157,
      held: 0,
      revenue: 0,
      grants: -157,
      expired: 0,
    })
    expect(await book.lots()).toBe(157)
  })

  test('at the same moment, in two processes, are made once', async () => {
    const book = ledgerWith()
    const other = createLedger({
      records: book.records,
      ids: createIds({ now: () => JUNE, random: seededRandom(9) }),
      tariff: { plans: [plan], prices: { fetched: 1 }, lowBalance: null },
    })
    const entries = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? other : book.ledger).topUp('acme', { id: 'p1', credits: 50 }, JUNE),
      ),
    )
    expect(new Set(entries.map(({ id }) => id)).size).toBe(1)
    expect((await book.balance()).wallet).toBe(150)
  })

  test('take the wallet no lower than the plan allows', async () => {
    const book = ledgerWith({ overdraft: 20 })
    await expect(book.adjust({ id: 'a1', credits: -121, note: 'A mistake' })).rejects.toMatchObject(
      {
        code: 'CONFLICT',
        message: expect.stringMatching(/the wallet has 100 and must not fall below -20/),
      },
    )
    await book.adjust({ id: 'a1', credits: -120, note: 'A mistake' })
    expect(await book.balance()).toMatchObject({ wallet: -20, grants: 20 })
    expect(await book.lots()).toBe(0)
    await book.topUp({ id: 'p1', credits: 25, expiresAt: JUNE + DAY })
    expect(await book.lots()).toBe(5)
    book.pass(2 * DAY)
    expect(await book.balance()).toMatchObject({ wallet: 0, expired: 5 })
  })

  test('of no amount are refused by name', async () => {
    const book = ledgerWith()
    await expect(book.topUp({ id: 'p1', credits: -1 })).rejects.toMatchObject({
      issues: [{ path: 'credits' }],
    })
    await expect(book.adjust({ id: 'p1', credits: 0, note: '' })).rejects.toMatchObject({
      issues: [{ path: 'credits' }],
    })
  })

  test('that bring the wallet below the mark emit one event', async () => {
    const book = ledgerWith({}, { lowBalance: 50 })
    await book.adjust({ id: 'a1', credits: -60, note: '' })
    expect(await book.warnings()).toHaveLength(1)
    await book.adjust({ id: 'a2', credits: -5, note: '' })
    expect(await book.warnings()).toHaveLength(1)
    await book.topUp({ id: 'p1', credits: 60 })
    await book.adjust({ id: 'a3', credits: -60, note: '' })
    expect(await book.warnings()).toHaveLength(2)
  })
})

describe('a wrong debt', () => {
  test('returns as credits that do not expire', async () => {
    const book = ledgerWith({ creditsPerMonth: 5, overdraft: 10 })
    await book.reserve('e1', 10)
    await book.topUp({ id: 'p1', credits: 7 })
    expect(await book.lots()).toBe(2)
    await book.release('e1')
    expect((await book.balance()).wallet).toBe(12)
    expect(await book.lots()).toBe(12)
  })
})
