import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { RowClaims } from '../../../src/crawl/commit/row-claims.ts'
import { Overtaken } from '../../../src/crawl/commit/fence.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, LEASE_MS, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const ROWS = 7_000
const list = (rows: number): string =>
  `<ul>${Array.from({ length: rows }, (_, index) => `<li><b>Lamp ${index}</b></li>`).join('')}</ul>`
const recipe = {
  start: { urls: [`${SITE}/first`, `${SITE}/second`] },
  crawl: { robots: false, concurrency: 1 },
  extract: { items: 'li', fields: { name: 'b' } },
  output: { unique: ['name'] },
}
/** Half of the rows of the second page are on the first page as well. */
const pages = {
  [`${SITE}/first`]: { body: list(ROWS) },
  [`${SITE}/second`]: { body: list(1.5 * ROWS) },
}

/** A store that calls `onCommit` before each commit. */
function watched(onCommit: (change: Commit) => Promise<void> | void) {
  const clock = createFakeClock()
  const memory = createMemoryStore({ clock })
  const store = through(memory, async (change) => {
    await onCommit(change)
    return memory.commit(change)
  })
  return { clock, memory, store }
}

const claimsIn = (change: Commit): number =>
  change.set?.filter(({ key }) => key[1] === 'seen-rows').length ?? 0

test('the keys of very many rows are written in commits of bounded size, and each row is kept once', async () => {
  const sizes: number[] = []
  const { clock, store } = watched((change) => void sizes.push(change.set?.length ?? 0))
  const world = createWorld(pages, { clock, store })
  const id = await world.start(recipe)
  await world.work()
  expect(Math.max(...sizes)).toBeGreaterThan(900)
  expect(Math.max(...sizes)).toBeLessThan(1_100)
  const names = (await world.rows(id)).map(({ name }) => name)
  expect(names).toHaveLength(1.5 * ROWS)
  expect(new Set(names).size).toBe(1.5 * ROWS)
})

test('a worker that is lost between such commits leaves no key behind that would hide a row', async () => {
  let commits = 0
  const never = new Promise<never>(() => undefined)
  const lost = Promise.withResolvers<void>()
  const { clock, memory, store } = watched((change) => {
    if (commits <= 3 && (claimsIn(change) === 0 || ++commits <= 3)) return
    lost.resolve()
    return never
  })
  const world = createWorld(pages, { clock, store: memory })
  const id = await world.start(recipe)
  void world.join(store).worker.tick()
  await clock.runUntil(lost.promise)
  await clock.advance(2 * LEASE_MS)
  expect(commits).toBe(4)
  const claimed = await createRecords(memory).seenRows.list(OWNER.account, {
    within: [id],
    limit: 10_000,
  })
  expect(claimed).toHaveLength(3_000)
  await world.work()
  expect(await world.read(id)).toMatchObject({
    status: 'succeeded',
    counters: { rows: 1.5 * ROWS },
  })
  expect(new Set((await world.rows(id)).map(({ name }) => name)).size).toBe(1.5 * ROWS)
})

test('a claim counts only if its commit is made', async () => {
  const records = createRecords(createMemoryStore())
  const claims = new RowClaims({ records, clock: createFakeClock(), account: 'a', execution: 'e' })
  const keys = Array.from({ length: 2_500 }, (_, index) => `key ${index}`)
  // A worker is lost, and the page has other rows when the next worker fetches it.
  await claims.claim([...keys, 'gone'].toReversed(), 'lost:1', () => {})
  const left = await claims.claim(keys, 'next:1', () => {})
  expect(left).toEqual([...keys.slice(2_000), 'next:1'])
  expect((await claims.unseen([...keys, 'gone'])).size).toBe(2_501)
  const change = new Change()
  for (const identity of left) records.seenRows.put(change, 'a', { execution: 'e', identity })
  await records.commit(change)
  expect(await claims.unseen([...keys, 'gone'])).toEqual(new Set(['gone']))
})

test('a claim is refused if another worker has the execution', async () => {
  const records = createRecords(createMemoryStore())
  const claims = new RowClaims({ records, clock: createFakeClock(), account: 'a', execution: 'e' })
  const keys = Array.from({ length: 1_500 }, (_, index) => `key ${index}`)
  await expect(
    claims.claim(keys, 'next:1', (change) => void change.check(['a', 'fences', 'e'], '1')),
  ).rejects.toThrow(Overtaken)
  expect(await records.seenRows.list('a', { limit: 10 })).toEqual([])
})
