import { beforeEach, expect, it } from 'vitest'
import {
  ALL_USAGE,
  CALLER_USAGE,
  NO_TASK_USAGE,
  taskUsage,
  unreceiptedUsage,
} from '../../../src/features/common/usage.ts'
import { eraseExecution } from '../../../src/features/executions/retire.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Records } from '../../../src/features/records.ts'
import { DAY_MS } from '../../../src/kernel/time.ts'
import { Change } from '../../../src/records/change.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const recipe = {
  start: { urls: [SITE, `${SITE}gone`] },
  crawl: { robots: false },
  extract: { fields: { title: 'h1' } },
}

let world: World
let records: Records
let task: string
let run: string

/** An account with runs of a task and of a single recipe, and a page that an agent fetched. */
beforeEach(async () => {
  world = createWorld(
    { [SITE]: '<title>Pens</title><h1>Pens</h1>', [`${SITE}gone`]: { status: 404, body: '' } },
    { billing: { prices: { fetched: 2 } } },
  )
  records = createRecords(world.store)
  const { api } = world.platform
  task = (await api.tasks.create(OWNER, { name: 'shop', recipe })).id
  run = (await api.executions.start(OWNER, task)).id
  await api.executions.run({ ...OWNER, user: 'bob' }, { recipe })
  await world.work()
  await world.clock.runUntil(api.agentic.call(OWNER, { tool: 'fetch', arguments: { id: SITE } }))
})

const differences = async () =>
  (await world.platform.verify()).differences.map(
    ({ area, subject, message }) => `${area} ${subject}: ${message}`,
  )

/** Deletes all executions, and erases their data. */
async function deleteAll(): Promise<void> {
  const { api } = world.platform
  for (const { id } of (await api.executions.list(OWNER)).items)
    await api.executions.delete(OWNER, id)
  expect(await differences()).toEqual([])
  await world.clock.advance(600_000)
  await world.work()
  expect(await records.visits.list(OWNER.account, { limit: 10 })).toEqual([])
}

it('verify finds no difference before, between and after a deletion and the erasing of its data', async () => {
  expect(await differences()).toEqual([])
  const before = await world.platform.api.analytics.summary(OWNER)
  await deleteAll()
  expect(await differences()).toEqual([])
  expect(await world.platform.api.analytics.summary(OWNER)).toEqual(before)
})

it('an erasing job that is delivered twice counts visits once', async () => {
  await world.platform.api.executions.delete(OWNER, run)
  const core = { records, blobs: world.blobs }
  const { signal } = new AbortController()
  await Promise.all([1, 2].map(() => eraseExecution(core, OWNER.account, run, signal)))
  expect(await records.visits.list(OWNER.account, { within: [run], limit: 10 })).toEqual([])
  expect(await differences()).toEqual([])
})

it.each([
  ['a page of the account', ALL_USAGE, 'day', 'pages'],
  ['credits in one quarter', ALL_USAGE, 'quarter', 'credits'],
  ['a run of a task', () => taskUsage(task), 'month', 'run:succeeded'],
  ['rows outside tasks', NO_TASK_USAGE, 'hour', 'rows'],
  ['bytes of a caller', CALLER_USAGE, 'day', 'bytes  bob'],
  ['a series that nothing explains', taskUsage('task_none'), 'day', 'pages'],
] as const)('verify finds a wrong figure after a deletion: %s', async (_, named, size, metric) => {
  await deleteAll()
  const series = typeof named === 'string' ? named : named()
  const [point] = await records.usage.read(OWNER.account, series, size, 0, 1e15)
  const change = new Change()
  records.usage.add(change, OWNER.account, series, size, point?.start ?? DAY_MS, metric, 1)
  await records.commit(change)
  expect(await differences()).toEqual([
    expect.stringMatching(
      `^usage ${series}, ${size} of .*: ${metric} is \\d+, the page reports come`,
    ),
  ])
})

it("verify finds credits of an agent's fetch that differ from its ledger entry", async () => {
  const series = unreceiptedUsage('fetch', ALL_USAGE)
  const [point] = await records.usage.read(OWNER.account, series, 'quarter', 0, 1e15)
  const change = new Change()
  // Changes every counter of a fetch, so that they agree with each other.
  for (const size of ['quarter', 'hour', 'day', 'month'] as const) {
    for (const all of [ALL_USAGE, NO_TASK_USAGE]) {
      const [same] = await records.usage.read(OWNER.account, all, size, 0, 1e15)
      records.usage.add(change, OWNER.account, all, size, same?.start ?? 0, 'credits', 1)
    }
  }
  for (const all of [ALL_USAGE, NO_TASK_USAGE]) {
    const name = unreceiptedUsage('fetch', all)
    records.usage.add(change, OWNER.account, name, 'quarter', point?.start ?? 0, 'credits', 1)
  }
  await records.commit(change)
  expect(await differences()).toEqual([
    expect.stringMatching(
      `^usage ${series}, quarter of .*: credits is 3, the page reports come to 2`,
    ),
    expect.stringMatching(
      /^usage all, month of .*: credits of all months is 7, the page reports come to 6/,
    ),
  ])
})
