import { parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { parseCsv } from '../../support/parse-csv.ts'
import { createBillingHost } from './billing-host.ts'

type Entry = {
  id: string
  at: string
  kind: string
  moves: Record<string, number>
  note: string | null
}

/** An account with months of all kinds: June has a run, July has nothing, August has a late refund. */
async function createMonths() {
  const host = await createBillingHost()
  const { id } = await host.run(7)
  await host.billing.adjust('acme', {
    id: 'gift',
    credits: 3,
    note: '<script>alert("x")</script> & "=1+1", ünï',
  })
  await host.until('2026-08-05T00:00:00Z')
  await host.billing.refund('acme', {
    id: 'late',
    execution: id,
    credits: 2,
    note: '=HYPERLINK("https://evil.example")',
  })
  return { ...host, execution: id }
}

describe('statements', () => {
  it('are one for each month, newest first, and each begins with the final balance of the one before', async () => {
    const { get, send } = await createMonths()
    const { items, nextCursor } = await get('statements')
    expect(items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ['2026-08', 'open'],
      ['2026-07', 'closed'],
      ['2026-06', 'closed'],
    ])
    expect(nextCursor).toBeNull()
    expect([items[0].opening, items[1].opening]).toEqual([items[1].closing, items[2].closing])
    expect(items[2]).toMatchObject({
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-07-01T00:00:00.000Z',
      plan: 'free',
      opening: { wallet: 0 },
      closing: { wallet: 3, revenue: 7, grants: -103, expired: 93 },
    })
    expect(items[0].closing).toEqual((await get('balance')).credits)
    const page = await get('statements?limit=2')
    expect([
      ...page.items,
      ...(await get(`statements?limit=2&cursor=${page.nextCursor}`)).items,
    ]).toEqual(items)
    for (const id of ['2026-05', '2026-09', '2026-6', '2026-06x', 'none'])
      expect((await send('GET', `statements/${id}`)).status).toBe(404)
  })

  it('have the ledger entries of their month as lines, which add up', async () => {
    const { get } = await createMonths()
    for (const { id } of (await get('statements')).items) {
      const { lines, opening, closing, totals, entries } = await get(`statements/${id}?limit=100`)
      expect(lines.items.toReversed()).toEqual((await get(`ledger?period=${id}&limit=100`)).items)
      expect(entries).toBe(lines.items.length)
      for (const account of Object.keys(opening))
        expect([
          id,
          account,
          lines.items.reduce(
            (sum: number, { moves }: Entry) => sum + (moves[account] ?? 0),
            opening[account],
          ),
        ]).toEqual([id, account, closing[account]])
      for (const { kind, entries: count, wallet } of totals) {
        const own = lines.items.filter((line: Entry) => line.kind === kind)
        expect([
          id,
          kind,
          own.length,
          own.reduce((sum: number, { moves }: Entry) => sum + (moves['wallet'] ?? 0), 0),
        ]).toEqual([id, kind, count, wallet])
      }
      const first = await get(`statements/${id}?limit=1`)
      expect([first.lines.items[0], first.lines.nextCursor === null]).toEqual([
        lines.items[0],
        lines.items.length < 2,
      ])
    }
  })

  it('never change once closed: a late refund is in the month that is open', async () => {
    const { call, get, world, billing, execution, until } = await createMonths()
    const read = async () =>
      Promise.all(
        ['json', 'csv', 'html'].map(
          async (format) => (await call('GET', `statements/2026-06?format=${format}`)).text,
        ),
      )
    const before = await read()
    // The request makes it before a worker does, and the job finds it.
    await world.work()
    await billing.refund('acme', { id: 'later', execution, credits: 1, note: 'Again' })
    await billing.setPlan('acme', { plan: 'pro' })
    await until('2026-09-09T00:00:00Z')
    await world.work()
    expect(await read()).toEqual(before)
    expect(
      (await get('statements/2026-08?limit=100')).lines.items.filter(
        ({ kind }: Entry) => kind === 'refund',
      ),
    ).toHaveLength(2)
    expect(
      (await get('statements')).items.map(({ id, plan }: { id: string; plan: string }) => [
        id,
        plan,
      ]),
    ).toEqual([
      ['2026-09', 'pro'],
      ['2026-08', 'pro'],
      ['2026-07', 'free'],
      ['2026-06', 'free'],
    ])
  })

  it('are the same whether the job or the first request makes them', async () => {
    const [idle, worked] = [await createMonths(), await createMonths()]
    await worked.world.work()
    const of = ({
      id: _id,
      cause: _cause,
      executionId: _execution,
      taskId: _task,
      ...line
    }: Record<string, unknown>) => line
    const statement = async ({ get }: typeof idle) => {
      const { lines, ...rest } = await get('statements/2026-06?limit=100')
      return { ...rest, lines: lines.items.map(of) }
    }
    expect(await statement(worked)).toEqual(await statement(idle))
    const { records } = {
      records: (await worked.world.store.list({ prefix: ['acme', 'statements'], limit: 10 })).map(
        ({ key }) => key[2],
      ),
    }
    expect(records).toEqual(['2026-06', '2026-07'])
  })

  it('as CSV have a line for each entry, and a running balance', async () => {
    const { call, get } = await createMonths()
    const { text, headers } = await call('GET', 'statements/2026-06?format=csv')
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'text/csv; charset=utf-8; header=present',
      expect.stringContaining('attachment; filename="statement-2026-06.csv"'),
    ])
    const [head = [], ...rows] = parseCsv(text)
    const { lines, closing } = await get('statements/2026-06?limit=100')
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)])
    expect(column('id')).toEqual(lines.items.map(({ id }: Entry) => id))
    expect(column('note')[column('kind').indexOf('adjust')]).toBe(
      '<script>alert("x")</script> & "=1+1", ünï',
    )
    for (const account of Object.keys(closing))
      expect(column(account).reduce((sum, amount) => sum + Number(amount), 0)).toBe(
        closing[account],
      )
    expect(column('balance').at(-1)).toBe(String(closing.wallet))
    const august = parseCsv((await call('GET', 'statements/2026-08?format=csv')).text)
    expect(august.flat()).toContain('\'=HYPERLINK("https://evil.example")')
  })

  it('as a page to print are well-formed and self-contained, and texts of others are not markup', async () => {
    const { call, get, billing } = await createMonths()
    const { text, headers } = await call('GET', 'statements/2026-06?format=html')
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'text/html; charset=utf-8',
      expect.stringContaining('inline; filename="statement-2026-06.html"'),
    ])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const errors: string[] = []
    parse(text, { onParseError: ({ code }) => void errors.push(code) })
    expect(errors).toEqual([])
    expect(text).toContain(
      '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &quot;=1+1&quot;, ünï',
    )
    expect(text).not.toMatch(/<script|<link|<img|src=|href=/)
    expect(text.match(/<tr><td>2026-/g)).toHaveLength((await get('statements/2026-06')).entries)
    await billing.setPlan('acme', { plan: 'tailored' })
    expect((await call('GET', 'statements/2026-08?format=html')).text).toContain(
      'The month is not over',
    )
  })

  it('have the type that Accept or format asks for', async () => {
    const { call, send } = await createMonths()
    expect(
      (await call('GET', 'statements/2026-06', undefined, { Accept: 'text/html' })).status,
    ).toBe(406)
    expect(
      (await call('GET', 'statements/2026-06?format=html', undefined, { Accept: 'text/html' }))
        .status,
    ).toBe(200)
    expect(
      (
        await call('GET', 'statements/2026-06?format=html', undefined, {
          Accept: 'application/json',
        })
      ).status,
    ).toBe(406)
    expect(await call('GET', 'statements/2026-06?format=pdf')).toMatchObject({
      status: 400,
      error: { issues: [{ path: 'format' }] },
    })
    const etag = (await send('GET', 'statements/2026-06')).headers.get('etag') ?? expect.fail()
    expect(
      (await send('GET', 'statements/2026-06', undefined, { 'If-None-Match': etag })).status,
    ).toBe(304)
    const packed = await send('GET', 'statements/2026-06?format=csv', undefined, {
      'Accept-Encoding': 'gzip',
    })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    await packed.body?.cancel()
  })

  it('are absent if nothing was ever counted', async () => {
    const { get, send } = await createBillingHost()
    expect(await get('statements')).toEqual({ items: [], nextCursor: null })
    expect((await send('GET', 'statements/2026-06')).status).toBe(404)
  })
})
