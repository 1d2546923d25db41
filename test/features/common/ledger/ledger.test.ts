import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../../src/defaults/memory-store.ts'
import { sumOfLots } from '../../../../src/features/common/ledger/lots.ts'
import { createLedger } from '../../../../src/features/common/ledger/ledger.ts'
import type { PlanDefinition, Tariff } from '../../../../src/features/common/ledger/plans.ts'
import { createIds } from '../../../../src/kernel/id.ts'
import { Change } from '../../../../src/records/change.ts'
import { emptyProgress } from '../../../../src/records/progress.ts'
import { createRecords } from '../../../../src/records/records.ts'
import { seededRandom } from '../../../support/seeded-random.ts'

const JUNE = Date.parse('2026-06-15T12:00:00Z')
const DAY = 86_400_000
const plan: PlanDefinition = { id: 'pro', name: 'Pro', creditsPerMonth: 100 }

function ledgerWith(changes: Partial<PlanDefinition> = {}, tariff: Partial<Tariff> = {}) {
  const records = createRecords(createMemoryStore())
  let now = JUNE
  const ledger = createLedger({ records, ids: createIds({ now: () => now, random: seededRandom() }), tariff: { plans: [{ ...plan, ...changes }], prices: { fetched: 1 }, lowBalance: null, ...tariff } })
  const within = async (work: (change: Change) => Promise<unknown>) => {
    const change = new Change()
    await work(change)
    expect(await records.commit(change)).toBe(true)
  }
  return {
    records, ledger,
    pass: (ms: number) => void (now += ms),
    reserve: (id: string, credits: number) => within((change) => ledger.reserve(change, 'acme', { id, taskId: null }, credits, now)),
    settle: (id: string, index: number, credits: number) =>
      within(async (change) => {
        ledger.settle(change, 'acme', await ledger.period('acme', now), { id, taskId: null }, index, [[index, 'fetched', credits]], now)
        records.progress.put(change, 'acme', { ...emptyProgress(id), credits: credits + ((await records.progress.get('acme', id))?.value.credits ?? 0) })
      }),
    release: (id: string) => within(async (change) => ledger.release(change, 'acme', { id, taskId: null }, (await records.progress.get('acme', id))?.value.credits ?? 0, now)),
    balance: async () => (await ledger.balance('acme', now)).credits,
    entries: async () => (await records.ledger.list('acme', { limit: 100 })).map(({ value }) => [value.period, value.kind, value.moves] as const),
    lots: async () => sumOfLots((await ledger.open('acme', now)).lots),
  }
}

describe('an execution', () => {
  test('reserves, settles, and gives back what it did not spend', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    expect(await book.balance()).toEqual({ wallet: 40, held: 60, revenue: 0, grants: -100, expired: 0 })
    await book.settle('e1', 0, 10)
    await book.settle('e1', 1, 15)
    expect(await book.balance()).toEqual({ wallet: 40, held: 35, revenue: 25, grants: -100, expired: 0 })
    await book.release('e1')
    expect(await book.balance()).toEqual({ wallet: 75, held: 0, revenue: 25, grants: -100, expired: 0 })
    expect((await book.entries()).map(([, kind]) => kind)).toEqual(['grant', 'reserve', 'settle', 'settle', 'release'])
    expect(await book.lots()).toBe(75)
  })

  test('is refused with the figures where the wallet does not have its estimate', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    await expect(book.reserve('e2', 41)).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED', message: expect.stringMatching(/41 credits, and 40 can be spent/) })
    await book.reserve('e3', 40)
    expect((await book.balance()).wallet).toBe(0)
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

  test('cannot be settled twice for one commit, nor reserved for twice', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 10)
    await expect(book.reserve('e1', 10)).rejects.toThrow(/expected false to be true/)
    await book.settle('e1', 0, 1)
    await expect(book.settle('e1', 0, 1)).rejects.toThrow(/expected false to be true/)
  })
})

describe('months', () => {
  test('grant the credits of the plan once, and take away what is left at their end', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 30)
    await book.settle('e1', 0, 30)
    await book.release('e1')
    book.pass(30 * DAY)
    expect(await book.balance()).toEqual({ wallet: 100, held: 0, revenue: 30, grants: -200, expired: 70 })
    expect((await book.entries()).map(([period, kind]) => `${period} ${kind}`)).toEqual(['2026-06 grant', '2026-06 reserve', '2026-06 settle', '2026-06 expire', '2026-07 grant'])
    expect((await book.records.outbox.list('~', { limit: 10 })).map(({ value }) => value.id)).toEqual(['statement:acme:2026-06'])
  })

  test('that nobody was there for are made up for one by one', async () => {
    const book = ledgerWith({ creditsExpire: 'never' })
    await book.balance()
    book.pass(100 * DAY)
    expect(await book.balance()).toMatchObject({ wallet: 400, grants: -400 })
  })

  test('credits of a hold that comes back after their time expire then', async () => {
    const book = ledgerWith()
    await book.reserve('e1', 60)
    book.pass(30 * DAY)
    expect(await book.balance()).toMatchObject({ wallet: 100, held: 60, expired: 40 })
    await book.release('e1')
    expect(await book.balance()).toMatchObject({ wallet: 100, held: 0, expired: 100 })
  })
})
