import { expect, it } from 'vitest'
import { ALL_USAGE } from '../../../src/features/common/usage.ts'
import { Faults } from '../../../src/features/verify/findings.ts'
import { verifyUsage } from '../../../src/features/verify/verify-usage.ts'
import type { UsageFault } from '../../../src/features/verify/verify-usage.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

it('verify finds no difference after work, and finds a counter that was tampered with', async () => {
  const world = createWorld({
    'https://shop.example.com/': '<h1>Pens</h1>',
    'https://shop.example.com/gone': { status: 404, body: '' },
  })
  const records = createRecords(world.store)
  const recipe = {
    start: { urls: ['https://shop.example.com/', 'https://shop.example.com/gone'] },
    crawl: { robots: false },
    extract: { fields: { title: 'h1' } },
  }
  await world.start(recipe)
  await world.work()
  const cancelled = await world.start(recipe)
  await world.platform.api.executions.cancel(OWNER, cancelled)
  const faultsOf = async ({ most = Infinity, until = -Infinity } = {}) => {
    const faults = new Faults<UsageFault>(most)
    await verifyUsage(records, OWNER.account, faults, { until })
    return faults
  }
  expect(await faultsOf()).toMatchObject({ listed: [], count: 0 })

  const [point] = await records.usage.read(
    OWNER.account,
    ALL_USAGE,
    'day',
    0,
    Number.MAX_SAFE_INTEGER,
  )
  const change = new Change()
  records.usage.add(change, OWNER.account, ALL_USAGE, 'day', point?.start ?? 0, 'rows', 1)
  records.usage.add(change, OWNER.account, ALL_USAGE, 'hour', 0, 'pages', 3)
  await records.commit(change)
  const all = await faultsOf()
  expect(all.listed).toEqual([
    { series: ALL_USAGE, size: 'hour', start: 0, metric: 'pages', stored: 3, found: 0 },
    { series: ALL_USAGE, size: 'day', start: point?.start, metric: 'rows', stored: 2, found: 1 },
  ])
  // A fault that is not listed is counted; one that may have been deleted is not even that.
  const first = await faultsOf({ most: 1 })
  expect([first.listed, first.count]).toEqual([all.listed.slice(0, 1), 2])
  expect((await faultsOf({ until: 0 })).listed).toEqual(all.listed.slice(1))

  // Buckets that are too many for memory are gone through in passes, which come to the same.
  const passesOf = async (mostBuckets: number) => {
    let passes = 0
    const counting = createRecords({
      get: (keys) => world.store.get(keys),
      async list(range) {
        if (range.prefix[1] === 'executions') passes++
        return world.store.list(range)
      },
      commit: (commit) => world.store.commit(commit),
      close: async () => undefined,
    })
    const faults = new Faults<UsageFault>()
    await verifyUsage(counting, OWNER.account, faults, { mostBuckets })
    return {
      passes,
      starts: faults.listed.map(({ size, stored }) => `${size} ${stored}`).toSorted(),
    }
  }
  expect(await passesOf(1_000)).toEqual({ passes: 1, starts: ['day 2', 'hour 3'] })
  const few = await passesOf(1)
  expect(few.starts).toEqual(['day 2', 'hour 3'])
  expect(few.passes).toBeGreaterThan(3)
})
