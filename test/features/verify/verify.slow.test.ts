import { beforeEach, describe, expect, it } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import type { VerifyReport } from '../../../src/features/verify/findings.ts'
import { Findings } from '../../../src/features/verify/findings.ts'
import { verifyLedger } from '../../../src/features/verify/verify-ledger.ts'
import { inspect } from '../../../src/features/verify/inspect.ts'
import { verify } from '../../../src/features/verify/service.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Records } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const PLANS = [{ id: 'basic', name: 'Basic', creditsPerMonth: 200 }] as const
const site = 'https://shop.example.com/'
const html = (body: string) => ({
  headers: { 'content-type': 'text/html' },
  body: `<html><body>${body}</body></html>`,
})
const pages = Object.fromEntries([
  [site, html(Array.from({ length: 30 }, (_, i) => `<a href="/p/${i}">p</a>`).join(''))],
  ...Array.from({ length: 29 }, (_, i) => [`${site}p/${i}`, html(`<h1>Item ${i}</h1>`)]),
])
const recipe = {
  start: { urls: [site] },
  follow: [{ links: 'a', as: 'p' }],
  crawl: { maxPages: 60, robots: false, delayMs: 500, concurrency: 1 },
  extract: { on: 'p', fields: { title: 'h1' } },
}
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

const cancelling = (nth: number) => {
  if (nth === 2) void atHalf()
  return html('<h1>Halfway</h1>')
}

let clock: FakeClock
let store: Store
let blobs: Blobs
let platform: Platform
let records: Records
let done: string
let cancelledId: string
/** Called when half of the second execution is done. */
let atHalf: () => Promise<unknown>

/**
 * A store after a crawl that ended, one that was cancelled halfway, one that waits, a refund, and a
 * month that is over.
 */
beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 31, 12))
  store = createMemoryStore({ clock })
  blobs = createMemoryBlobs()
  platform = createPlatform({
    store,
    blobs,
    fetcher: createFakeWeb({ ...pages, [`${site}p/15`]: cancelling }),
    clock,
    logger: quiet,
    billing: { plans: PLANS },
  })
  records = createRecords(store)
  const task = await platform.api.tasks.create(OWNER, { name: 'crawl', recipe })
  done = (await platform.api.executions.start(OWNER, task.id)).id
  await clock.runUntil(platform.worker.tick())
  const cancelled = await platform.api.executions.start(OWNER, task.id)
  atHalf = () => platform.api.executions.cancel(OWNER, cancelled.id)
  await clock.runUntil(platform.worker.tick())
  cancelledId = cancelled.id
  await platform.api.billing.refund('acme', {
    id: 'r1',
    execution: done,
    credits: 3,
    note: 'sorry',
  })
  await clock.advance(86_400_000)
  await platform.api.billing.balance(OWNER)
  await clock.runUntil(platform.worker.tick())
  await platform.api.executions.start(OWNER, task.id, { budget: { pages: 5 } })
})

const wrong = ({ differences }: VerifyReport): string[] =>
  differences.map(
    ({ area, account, subject, message }) => `${area} ${account} ${subject}: ${message}`,
  )

/** The differences after a change of entries in the store. */
async function after(corrupt: (change: Change) => Promise<void> | void): Promise<string[]> {
  const change = new Change()
  await corrupt(change)
  expect(await records.commit(change)).toBe(true)
  const report = await platform.verify()
  expect(report.ok).toBe(report.differences.length === 0)
  return wrong(report)
}

/** The store, with a callback before each list is read. */
const meddled = (meddle: () => Promise<void>): Store => ({
  get: (keys) => store.get(keys),
  async list(range) {
    await meddle()
    return store.list(range)
  },
  commit: (change) => store.commit(change),
  close: () => store.close(),
})
const here = <T>(value: T | null | undefined): T => value ?? expect.fail('it is not there')
const entryOf = async (kind: string) =>
  here(
    (await records.ledger.list('acme', { limit: 1_000 })).find(({ value }) => value.kind === kind),
  )

describe('a store that nobody has tampered with', () => {
  it('has no difference after crawls that ended, were cancelled and wait, and a month that closed', async () => {
    const { status, counters } = await platform.api.executions.get(OWNER, cancelledId)
    expect([status, counters.fetched > 0 && counters.fetched < 30]).toEqual(['cancelled', true])
    const report = await platform.verify()
    expect(wrong(report)).toEqual([])
    expect(report.ok).toBe(true)
    const checked = Object.fromEntries(report.checks.map((check) => [check.area, check.checked]))
    expect(checked).toMatchObject({ statements: 1, spending: 2, executions: 3 })
    expect(checked['ledger']).toBe((await records.ledger.list('acme', { limit: 1_000 })).length)
    expect(report.checks.every(({ unsettled }) => unsettled === 0)).toBe(true)
    expect(await platform.verify({ account: 'nobody' })).toMatchObject({
      ok: true,
      accounts: 1,
      differences: [],
    })
  })

  it('has no difference while others write to it', async () => {
    let writes = 0
    // Between any two reads there is a commit with pages, ends or starts of executions.
    const step = async (): Promise<void> => {
      if (writes++ > 40) return
      const task = await platform.api.tasks.create(OWNER, {
        name: 'busy',
        recipe: { start: { urls: [site] } },
      })
      const { id } = await platform.api.executions.start(OWNER, task.id)
      if (writes % 2 === 0) await platform.api.executions.cancel(OWNER, id)
    }
    const report = await verify({ ...inspect(meddled(step)), blobs })
    expect(wrong(report)).toEqual([])
    expect(writes).toBeGreaterThan(40)
  })

  it('reports records that changed all the time as unstable, not as different', async () => {
    const progress = here(await records.progress.get('acme', done))
    const touch = async (): Promise<void> => {
      const change = new Change()
      records.progress.put(change, 'acme', { ...progress.value, rows: 999 })
      await records.commit(change)
    }
    await touch()
    const report = await verify({ ...inspect(meddled(touch)), blobs })
    expect(wrong(report).filter((text) => text.startsWith('executions'))).toEqual([])
    expect(report.checks.find(({ area }) => area === 'executions')).toMatchObject({
      differences: 0,
      unsettled: 1,
    })
    expect(wrong(await platform.verify())).not.toEqual([])
  })
})

describe('a difference is found', () => {
  it('in the wallet', async () => {
    expect(
      await after(async (change) => {
        const wallet = here(await records.wallets.get('acme'))
        records.wallets.update(change, 'acme', wallet, {
          ...wallet.value,
          credits: { ...wallet.value.credits, wallet: wallet.value.credits.wallet + 1 },
        })
      }),
    ).toEqual([
      expect.stringMatching(/^ledger acme .*wallet is \d+, its entries come to \d+/),
      expect.stringMatching(/the lots come to/),
    ])
  })

  it('in an entry that was changed, lost or doubled', async () => {
    const grant = await entryOf('grant')
    const raised = await after((change) =>
      records.ledger.update(change, 'acme', grant, {
        ...grant.value,
        moves: { grants: -500, wallet: 500 },
      }),
    )
    expect(raised.some((text) => text.includes('wallet is'))).toBe(true)
    const changed = here(await records.ledger.get('acme', grant.value.period, grant.value.id))
    const lost = await after((change) => records.ledger.remove(change, 'acme', changed))
    expect(lost).toContainEqual(
      `ledger acme wallet and entries: entry ${grant.value.id} of ${grant.value.cause} is gone`,
    )
    const doubled = await after((change) => {
      records.ledger.insert(change, 'acme', grant.value)
      records.ledger.insert(change, 'acme', { ...grant.value, id: 'le_twin' })
    })
    expect(doubled).toContainEqual(
      expect.stringContaining(
        `entry le_twin: its cause ${grant.value.cause} is noted for entry ${grant.value.id}`,
      ),
    )
  })

  it('in a hold that outlives its execution, and in one that is gone', async () => {
    const [hold] = await records.holds.list('acme', { limit: 1 })
    const unheld = await after((change) => records.holds.remove(change, 'acme', here(hold)))
    expect(unheld).toContainEqual(expect.stringContaining('0 credits are held for it, not 5'))
    const findings = await after((change) =>
      records.holds.insert(change, 'acme', { ...here(hold).value, execution: done }),
    )
    expect(findings).toContainEqual(
      expect.stringContaining(
        `executions acme ${done}: 5 credits are held for it, not 0: it is succeeded`,
      ),
    )
  })

  it('in a statement', async () => {
    const statement = here(await records.statements.get('acme', '2026-01'))
    expect(
      await after((change) =>
        records.statements.update(change, 'acme', statement, {
          ...statement.value,
          entries: 1,
          closing: { ...statement.value.closing, revenue: 0 },
        }),
      ),
    ).toEqual([
      expect.stringMatching(
        /^statements acme 2026-01: it closes with revenue 0, its entries come to \d+$/,
      ),
      expect.stringMatching(/^statements acme 2026-01: it counts 1 entries, there are \d+$/),
    ])
  })

  it('in the sums beside the entries', async () => {
    // Sums that are too many for memory are read again, month by month, and come to the same.
    const ofParts = async (mostSums: number) => {
      let reads = 0
      const counting = createRecords(
        meddled(async () => {
          reads++
        }),
      )
      const findings = new Findings()
      await verifyLedger(counting, 'acme', findings, mostSums)
      return { reads, report: findings.report(1) }
    }
    const [whole, parts] = [await ofParts(1_000), await ofParts(1)]
    expect(parts.report).toEqual(whole.report)
    // The entries of both months.
    expect(parts.reads).toBe(whole.reads + 2)
    const settle = await entryOf('settle')
    expect(
      (await after((change) => records.spending.add(change, 'acme', settle.value))).map((text) =>
        text.replace(/\d+/g, 'N'),
      ),
    ).toContain('spending acme N-N: kind/settle/entries is N, its entries come to N')
    expect((await ofParts(1)).report).toEqual((await ofParts(1_000)).report)
  })

  it('in the counters, the receipt and the rows of an execution', async () => {
    const progress = here(await records.progress.get('acme', done))
    const counted = await after((change) =>
      records.progress.put(change, 'acme', {
        ...progress.value,
        credits: progress.value.credits + 1,
        visitBytes: 7,
        outcomes: { ...progress.value.outcomes, failed: 5 },
      }),
    )
    const { visitBytes = 0 } = progress.value
    expect(visitBytes).toBeGreaterThan(30 * 50)
    expect(counted.filter((text) => !/^(?:usage|holdings)/.test(text))).toEqual([
      `executions acme ${done}: visitBytes is 7, its page report comes to ${visitBytes}`,
      `executions acme ${done}: credits is 31, its page report comes to 30`,
      `executions acme ${done}: failed is 5, its page report comes to 1`,
      `executions acme ${done}: credits are 31, its ledger entries come to 30`,
    ])
    const lost = await after((change) => {
      records.progress.put(change, 'acme', progress.value)
      records.visits.drop(change, 'acme', done, 3)
      records.segments.drop(change, 'acme', done, 0)
    })
    expect(lost).toContainEqual(
      `executions acme ${done}: discovered is 31, its page report comes to 30`,
    )
    expect(lost).toContainEqual(expect.stringMatching(/segments? /))
  })

  it('in the roll-ups', async () => {
    const start = Date.UTC(2026, 0)
    expect(
      await after((change) => records.usage.add(change, 'acme', 'all', 'month', start, 'rows', 1)),
    ).toEqual([
      expect.stringMatching(
        /^usage acme all, month of 2026-01-01T00:00:00.000Z: rows is \d+, the page reports come to \d+$/,
      ),
    ])
  })

  it('in the blobs of rows', async () => {
    const [segment] = await records.segments.list('acme', { within: [done], limit: 1 })
    await blobs.remove(here(segment).value.blob)
    expect(wrong(await platform.verify())).toEqual([
      `executions acme ${done}: blob ${here(segment).value.blob} is gone, with its rows`,
    ])
  })

  it('in an index, which is repaired if that is wanted', async () => {
    const key = ['acme', 'executions/status', 'succeeded', done]
    await store.commit({ delete: [key] })
    const expected = `indexes acme executions: the index entry executions/status/succeeded/${done} is missing`
    expect(wrong(await platform.verify())).toEqual([expected])
    const repaired = await platform.verify({ repair: true })
    expect([repaired.ok, wrong(repaired)]).toEqual([true, [expected]])
    expect((await platform.verify()).differences).toEqual([])
  })
})
