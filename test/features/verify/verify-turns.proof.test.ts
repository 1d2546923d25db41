import { beforeAll, expect, it } from 'vitest'
import { ALL_USAGE } from '../../../src/features/common/usage.ts'
import { createRecords } from '../../../src/features/records.ts'
import { inspect } from '../../../src/features/verify/inspect.ts'
import { verify } from '../../../src/features/verify/service.ts'
import type { VerifyArea, VerifyReport } from '../../../src/features/verify/findings.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import { Change } from '../../../src/records/change.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { longestTurn } from '../../support/longest-turn.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

// An operator may verify in the process that serves. Times are processor times of its thread.

const LONGEST_MS = 50
/** The least of some times counts, as garbage may be collected during one of them. */
const TIMES = 3
const MANY = 60_000
/** More than a function takes as arguments. */
const VERY_MANY = 130_000
const QUARTER_MS = 900_000
const PAGE = 'https://shop.example.com/'
const { account } = OWNER

let world: ReturnType<typeof createWorld>

/** An account with one run, and very much that is wrong. */
beforeAll(async () => {
  world = createWorld({ [PAGE]: '<h1>Pens</h1>' })
  const execution = await world.start({
    start: { urls: [PAGE] },
    crawl: { robots: false },
    extract: { fields: { title: 'h1' } },
  })
  await world.work()
  const records = createRecords(world.store)
  const period = (await records.periods.get(account))?.value.open ?? expect.fail()
  const [entry] = await records.ledger.list(account, { limit: 1 })
  const [visit] = await records.visits.list(account, { limit: 1 })
  if (!entry || !visit) expect.fail()
  const write = async (count: number, each: (change: Change, index: number) => void) => {
    for (let start = 0; start < count; start += 5_000) {
      const change = new Change()
      for (let index = start; index < start + 5_000; index++) each(change, index)
      await records.commit(change)
    }
  }
  await write(MANY, (change, index) => {
    records.causes.put(change, account, { cause: `lost ${index}`, entry: `e${index}`, period })
    records.holds.put(change, account, {
      execution: `none ${index}`,
      reserved: 1,
      lots: [],
      openedAt: 0,
    })
    records.usage.add(change, account, ALL_USAGE, 'quarter', index * QUARTER_MS, 'rows', 1)
    records.spending.add(change, account, {
      ...entry.value,
      kind: 'settle',
      task: `t${index}`,
      moves: { revenue: 1 },
    })
  })
  await write(MANY, (change, index) => {
    records.visits.put(change, account, {
      ...visit.value,
      seq: index + 1,
      at: index * QUARTER_MS,
    })
    // The second has no entry of its own, so each refund is too large.
    records.ledger.put(change, account, {
      ...entry.value,
      id: `refund ${String(index).padStart(6, '0')}`,
      cause: `refund ${index}`,
      kind: 'refund',
      execution: `refunded ${index}`,
      moves: { wallet: 1, revenue: -1 },
      pages: [],
    })
  })
  await write(VERY_MANY, (change, index) =>
    records.keptPages.put(change, account, {
      execution,
      number: 2 * index + 1,
      seq: index,
      url: normaliseUrl(PAGE) ?? expect.fail(),
      label: 'start',
      depth: 0,
      hop: 1,
      finalUrl: PAGE,
      status: 200,
      contentType: 'text/html',
      blob: `gone ${index}`,
      offset: 0,
      length: 1,
    }),
  )
}, 120_000)

it('an account with very many differences is verified in short turns, which are counted and not kept', async () => {
  const factor = cpuFactor()
  let least = Infinity
  let report: VerifyReport | null = null
  for (let time = 0; time < TIMES && least > LONGEST_MS * factor; time++) {
    const longest = await longestTurn(async () => {
      const inspection = { ...inspect(world.store), blobs: world.blobs }
      report = await verify(inspection, { account }, 100)
    })
    least = Math.min(least, longest)
  }
  const { checks, differences }: VerifyReport = report ?? expect.fail()
  expect(differences).toHaveLength(100)
  const counts = new Map<VerifyArea, number>(checks.map((check) => [check.area, check.differences]))
  expect(counts.get('ledger')).toBeGreaterThan(3 * MANY)
  expect(counts.get('spending')).toBeGreaterThan(MANY)
  expect(counts.get('executions')).toBeGreaterThan(2 * VERY_MANY + MANY)
  expect(counts.get('usage')).toBeGreaterThan(2 * MANY)
  expect(least).toBeLessThan(LONGEST_MS * factor)
}, 300_000)
