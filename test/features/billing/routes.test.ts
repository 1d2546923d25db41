import { describe, expect, it } from 'vitest'
import { createBillingHost } from './billing-host.ts'

const OWNER = { account: 'acme', user: 'ann', scopes: ['*'] }

describe('the balance', () => {
  it('shows credits by account, lots, plan and month', async () => {
    const { get, run, billing } = await createBillingHost()
    await run(12)
    await billing.adjust('acme', { id: 'gift', credits: 50, note: 'Welcome' })
    expect(await get('balance')).toEqual({
      credits: { wallet: 138, held: 0, revenue: 12, grants: -150, expired: 0 },
      spendable: 138,
      floor: 0,
      plan: { id: 'free', name: 'Free' },
      period: '2026-06',
      lots: [
        { id: 'plan:2026-06', credits: 88, expiresAt: '2026-07-01T00:00:00.000Z' },
        { id: 'adjust:gift', credits: 50, expiresAt: null },
      ],
      dailyCap: null,
    })
  })

  it('shows overdrafts, a wallet without a floor, and caps', async () => {
    const { get, run, call } = await createBillingHost({
      billing: {
        plans: [
          { id: 'credit', name: 'Credit', creditsPerMonth: 5, overdraft: 100, dailyCap: 40 },
          { id: 'open', name: 'Open', creditsPerMonth: 0, overdraft: null },
        ],
      },
    })
    await run(20)
    expect(await get('balance')).toMatchObject({
      credits: { wallet: -15 },
      spendable: 85,
      floor: -100,
      lots: [],
      dailyCap: { credits: 40, day: '2026-06-16', taken: 20 },
    })
    await call('PUT', 'subscription', { plan: 'open', dailyCap: 30 })
    expect(await get('balance')).toMatchObject({
      spendable: null,
      floor: null,
      dailyCap: { credits: 30 },
    })
  })
})

describe('the ledger', () => {
  it('has an entry for each movement, with the pages that it is for', async () => {
    const { get, run, billing } = await createBillingHost()
    const { id, taskId } = await run(3)
    await billing.refund('acme', { id: 'r1', execution: id, seq: 1, note: 'Empty page' })
    const { items } = await get('ledger')
    expect(
      items.map(({ kind, cause, moves }: { kind: string; cause: string; moves: object }) => [
        kind,
        cause,
        moves,
      ]),
    ).toEqual([
      ['refund', 'refund:r1', { revenue: -1, wallet: 1 }],
      ...items
        .slice(1, -2)
        .map(({ cause, pages }: { cause: string; pages: object[] }) => [
          'settle',
          cause,
          { held: -pages.length, revenue: pages.length },
        ]),
      ['reserve', `${id}:reserve`, { wallet: -3, held: 3 }],
      ['grant', 'plan:2026-06', { grants: -100, wallet: 100 }],
    ])
    const paid = items
      .filter(({ kind }: { kind: string }) => kind === 'settle')
      .flatMap(({ pages }: { pages: { seq: number }[] }) => pages)
    expect(paid.toSorted((a: { seq: number }, b: { seq: number }) => a.seq - b.seq)).toEqual(
      [0, 1, 2].map((seq) => ({ seq, outcome: 'fetched', credits: 1 })),
    )
    expect(items[0]).toMatchObject({
      executionId: id,
      taskId,
      period: '2026-06',
      at: '2026-06-16T00:00:00.000Z',
      note: 'Empty page',
      pages: [{ seq: 1, outcome: 'fetched', credits: 1 }],
    })
  })

  it('is filtered by month, time, kind and execution, page after page', async () => {
    const { get, run, until, call } = await createBillingHost()
    const first = await run(2)
    await until('2026-06-20T12:00:00Z')
    await run(2)
    await until('2026-08-02T00:00:00Z')
    const third = await run(2)
    const ids = async (query: string) =>
      (await get(`ledger?${query}`)).items.map(({ id }: { id: string }) => id)
    const all = await ids('limit=100')
    expect(await ids('from=2026-06&to=2026-07&limit=100')).toEqual([
      ...(await ids('period=2026-06&limit=100')),
    ])
    expect([
      ...(await ids('period=2026-08')),
      ...(await ids('period=2026-07')),
      ...(await ids('period=2026-06')),
    ]).toEqual(all)
    expect([
      ...(await ids('from=2026-06-20T12:00:00Z&limit=100')),
      ...(await ids('to=2026-06-20T14:00:00%2B02:00')),
    ]).toEqual(all)
    expect(
      (await get('ledger?kind=grant')).items.map(({ cause }: { cause: string }) => cause),
    ).toEqual(['plan:2026-08', 'plan:2026-07', 'plan:2026-06'])
    expect(
      (await get('ledger?kind=expire&from=2026-07-01')).items.map(({ at }: { at: string }) => at),
    ).toEqual(['2026-07-31T23:59:59.999Z'])
    for (const { id } of [first, third])
      expect(
        new Set(
          (await get(`ledger?execution=${id}`)).items.map(
            ({ executionId }: { executionId: string }) => executionId,
          ),
        ),
      ).toEqual(new Set([id]))
    expect((await get(`ledger?execution=${first.id}&period=2026-08`)).items).toEqual([])
    const walked: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: { id: string }[]; nextCursor: string | null } = await get(
        `ledger?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      walked.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(walked).toEqual(all)
    for (const [query, path] of [
      ['from=yesterday', 'from'],
      ['from=2026-02-30', 'from'],
      ['to=2026-06-31T12:00:00Z', 'to'],
      ['to=2026-13', 'to'],
      ['from=2026-07&to=2026-06', 'from'],
      ['period=2026', 'period'],
      ['kind=gift', 'kind'],
      ['from=2026-06-01T00:00:00', 'from'],
    ]) {
      expect([query, await call('GET', `ledger?${query}`)]).toMatchObject([
        query,
        { status: 400, error: { issues: [{ path }] } },
      ])
    }
  })
})

describe('the list of activity', () => {
  it('has one line for each execution, and one for each other movement', async () => {
    const { get, run, billing } = await createBillingHost()
    const { id, taskId } = await run(25, 'Prices')
    await billing.refund('acme', { id: 'r', execution: id, credits: 5, note: 'Sorry' })
    await billing.topUp(OWNER, { credits: 10 })
    const { items } = await get('activity')
    expect(items).toMatchObject([
      { type: 'top_up', credits: 10, text: expect.stringMatching(/^Top-up: \+10 credits/) },
      { type: 'refund', credits: 5, text: 'Refund: +5 credits (Sorry)', executionId: id },
      {
        type: 'execution',
        credits: -25,
        text: 'Prices: spent 25 credits on 25 pages',
        executionId: id,
        taskId,
        execution: {
          status: 'finished',
          reserved: 25,
          spent: 25,
          pages: 25,
          endedAt: expect.any(String),
        },
      },
      {
        type: 'grant',
        credits: 100,
        text: 'Credits of the plan: +100 credits (Credits of the plan Free)',
        execution: null,
      },
    ])
    const { nextCursor } = await get('activity?limit=2')
    expect((await get(`activity?limit=2&cursor=${nextCursor}`)).items).toEqual(items.slice(2))
  })

  it('shows the costs so far of a running execution, and the returned credits of a cancelled one', async () => {
    const { get, world } = await createBillingHost()
    const { id } = await world.platform.api.executions.start(
      OWNER,
      (
        await world.platform.api.tasks.create(OWNER, {
          name: 'Slow',
          recipe: {
            start: { urls: ['https://shop.example.com/p/1', 'https://shop.example.com/p/2'] },
          },
        })
      ).id,
    )
    expect((await get('activity')).items[0]).toMatchObject({
      text: 'Slow: has spent 0 credits on 0 pages so far, of up to 2',
      execution: { status: 'running', reserved: 2, endedAt: null },
    })
    await world.platform.api.executions.cancel(OWNER, id)
    expect((await get('activity')).items[0]).toMatchObject({
      text: 'Slow: spent 0 credits on 0 pages',
      credits: 0,
      execution: { status: 'finished', spent: 0, endedAt: '2026-06-16T00:00:00.000Z' },
    })
  })
})

describe('the usage', () => {
  it('sums up a month by kind, outcome, day and task', async () => {
    const { get, run, until, billing } = await createBillingHost()
    const shop = await run(4)
    await until('2026-06-17T10:00:00Z')
    const news = await run(6, 'News')
    await billing.refund('acme', { id: 'r', execution: news.id, credits: 2, note: 'Sorry' })
    const usage = await get('usage')
    expect(usage).toMatchObject({
      period: '2026-06',
      spent: 10,
      refunded: 2,
      byOutcome: [{ outcome: 'fetched', pages: 10, credits: 10 }],
      byDay: [
        { day: '2026-06-16', spent: 4, refunded: 0 },
        { day: '2026-06-17', spent: 6, refunded: 2 },
      ],
      byTask: [
        { taskId: news.taskId, name: 'News', spent: 6, refunded: 2 },
        { taskId: shop.taskId, name: 'Shop', spent: 4, refunded: 0 },
      ],
    })
    expect(usage.byKind).toContainEqual({ kind: 'reserve', entries: 2, wallet: -10 })
    // The sums equal those of the entries.
    const { items } = await get('ledger?limit=100')
    for (const { kind, entries, wallet } of usage.byKind) {
      const own = items.filter((entry: { kind: string }) => entry.kind === kind)
      expect([
        kind,
        own.length,
        own.reduce(
          (sum: number, entry: { moves: { wallet?: number } }) => sum + (entry.moves.wallet ?? 0),
          0,
        ),
      ]).toEqual([kind, entries, wallet])
    }
    expect(await get('usage?period=2026-01')).toEqual({
      period: '2026-01',
      spent: 0,
      refunded: 0,
      byKind: [],
      byOutcome: [],
      byDay: [],
      byTask: [],
    })
  })
})
