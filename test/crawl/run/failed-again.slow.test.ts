import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/kernel/json.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Proves that only the failed pages are visited again, in the way in which they were found.

const SITE = 'https://shop.example.com'
const RECIPE = {
  start: { urls: [`${SITE}/list`] },
  follow: [
    { items: 'li', links: 'a', carry: { price: 'b' }, as: 'detail' },
    { next: 'a.next', maxPages: 3 },
    { links: 'a.deep', on: 'detail', as: 'deep' },
  ],
  extract: { on: 'detail', fields: { title: 'h1', price: { carried: 'price' } } },
  crawl: { concurrency: 1, delayMs: 0, maxDepth: 2 },
}

const list = (name: string, next: string): string =>
  `<ul><li><a href=/${name}>x</a><b>${name} 1.20</b></ul><a class=next href=/${next}>more</a>`

/** A page that fails as long as `isDown`. */
function shop() {
  const state = { isDown: true }
  const failing =
    (answer: Answer): Answer =>
    () =>
      state.isDown ? { status: 404 } : answer
  const world = createWorld({
    [`${SITE}/list`]: list('pen', 'list2'),
    [`${SITE}/pen`]: failing('<h1>Pen</h1><a class=deep href=/deep>x</a>'),
    [`${SITE}/deep`]: '<h1>Deep</h1><a class=deep href=/deeper>x</a>',
    [`${SITE}/list2`]: failing(list('ink', 'list3')),
    [`${SITE}/ink`]: '<h1>Ink</h1>',
    [`${SITE}/list3`]: list('cap', 'list4'),
    [`${SITE}/cap`]: { status: 403 },
    [`${SITE}/list4`]: list('nib', 'list5'),
  })
  const { executions } = world.platform.api
  const pagesOf = async (id: string) =>
    (await executions.pages(OWNER, id, { limit: 100 })).items.map(
      ({ url, label, depth, outcome }) => [url.slice(SITE.length), label, depth, outcome],
    )
  return { ...world, state, executions, pagesOf }
}

describe('a retry of failed pages', () => {
  it('visits each at its depth, with what was carried to it, and follows its links', async () => {
    const { state, executions, start, work, read, rows, pagesOf } = shop()
    const first = await start(RECIPE)
    await work()
    expect(await pagesOf(first)).toEqual([
      ['/list', 'start', 0, 'fetched'],
      ['/pen', 'detail', 1, 'failed'],
      ['/list2', 'start', 0, 'failed'],
    ])
    state.isDown = false
    const second = await executions.retry(OWNER, first, { only: 'failed' })
    expect(second).toMatchObject({ retryOf: first, failedOf: first })
    await work()
    expect(await read(second.id)).toMatchObject({ status: 'succeeded', errors: { http_403: 1 } })
    expect((await pagesOf(second.id)).toSorted()).toEqual([
      // No page of the list beyond the third of its first run.
      ['/cap', 'detail', 1, 'blocked'],
      ['/deep', 'deep', 2, 'fetched'],
      ['/ink', 'detail', 1, 'fetched'],
      ['/list2', 'start', 0, 'fetched'],
      ['/list3', 'start', 0, 'fetched'],
      ['/pen', 'detail', 1, 'fetched'],
    ])
    expect(
      (await rows(second.id)).toSorted((a, b) =>
        String(a['title']) < String(b['title']) ? -1 : 1,
      ),
    ).toEqual([
      { title: 'Ink', price: 'ink 1.20' },
      { title: 'Pen', price: 'pen 1.20' },
    ])
    // The same again has the same pages; its own failed pages are the one that is still blocked.
    const same = await executions.retry(OWNER, second.id)
    const third = await executions.retry(OWNER, second.id, { only: 'failed' })
    await work()
    expect(await pagesOf(same.id)).toHaveLength(6)
    expect(same).toMatchObject({ retryOf: second.id, failedOf: first })
    expect(await pagesOf(third.id)).toEqual([['/cap', 'detail', 1, 'blocked']])
  })

  it.each(['complete-runs', 'always'] as const)(
    'leaves items that it does not find, and says nothing of the usual columns: %s',
    async (gone) => {
      const state = { isDown: true }
      const numbers = Array.from({ length: 12 }, (_, index) => index)
      // The last two fail at first, and then have no price.
      const pageOf = (index: number): Answer =>
        index < 10
          ? `<h1>P${index}</h1><b>1.20</b>`
          : () => (state.isDown ? { status: 500 } : `<h1>P${index}</h1>`)
      const { platform, work } = createWorld({
        [`${SITE}/list`]: numbers.map((index) => `<a href=/p${index}>x</a>`).join(''),
        ...Object.fromEntries(numbers.map((index) => [`${SITE}/p${index}`, pageOf(index)])),
      })
      const { datasets, executions, tasks } = platform.api
      const dataset = await datasets.create(OWNER, { name: 'd', keyFields: ['title'], gone })
      const recipe = {
        start: { urls: [`${SITE}/list`] },
        follow: [{ links: 'a', as: 'detail' }],
        extract: { on: 'detail', fields: { title: 'h1', price: 'b' } },
        crawl: { concurrency: 1, delayMs: 0 },
      }
      const task = await tasks.create(OWNER, { recipe, datasetId: dataset.id })
      // So many runs make up what is usual.
      let last = ''
      for (let run = 0; run < 3; run++) {
        last = (await executions.start(OWNER, task.id)).id
        await work()
      }
      state.isDown = false
      const again = await executions.retry(OWNER, last, { only: 'failed' })
      await work()
      expect(await executions.get(OWNER, again.id)).toMatchObject({
        counters: { rows: 2 },
        drift: [],
      })
      expect(await datasets.get(OWNER, dataset.id)).toMatchObject({
        counters: { present: 12, gone: 0 },
      })
    },
  )

  it('goes on where a worker was stopped, and never visits a page twice', async () => {
    const { state, executions, start, work, pagesOf, join, store, clock } = shop()
    const first = await start(RECIPE)
    await work()
    state.isDown = false
    const { id } = await executions.retry(OWNER, first, { only: 'failed' })
    const stop = new AbortController()
    let commits = 0
    const dying = join({
      get: (keys) => store.get(keys),
      list: (range) => store.list(range),
      close: () => store.close(),
      async commit(change) {
        if ((commits += 1) === 4) stop.abort()
        return store.commit(change)
      },
    })
    await clock.runUntil(dying.worker.tick({ signal: stop.signal }))
    expect(commits).toBeGreaterThan(3)
    await work(join())
    expect(await pagesOf(id)).toHaveLength(6)
  })

  it('is refused where no page has failed, none was fetched, or it is not over', async () => {
    const { state, executions, start, work } = shop()
    state.isDown = false
    const refused = { code: 'CONFLICT' }
    const recipe: Json = { start: { urls: [`${SITE}/ink`] }, page: { keep: true } }
    const id = await start(recipe)
    const retry = (run: string) => executions.retry(OWNER, run, { only: 'failed' })
    await expect(retry(id)).rejects.toMatchObject(refused)
    await work()
    await expect(retry(id)).rejects.toMatchObject({ ...refused, message: /has failed/ })
    const extracted = await executions.extract(OWNER, id, { recipe: { formats: ['text'] } })
    await work()
    await expect(retry(extracted.id)).rejects.toMatchObject({ ...refused, message: /kept pages/ })
  })

  it('is made though its run is written meanwhile, and is 404 if its run is deleted meanwhile', async () => {
    const { executions, start, work, join, store } = shop()
    const first = await start(RECIPE)
    await work()
    // Does this once, after the run was read and before the retry is written.
    let meanwhile: (() => Promise<unknown>) | null = null
    const late = join(
      through(store, async (change) => {
        const act = meanwhile
        meanwhile = null
        await act?.()
        return store.commit(change)
      }),
    ).api.executions
    meanwhile = () => executions.deleteRows(OWNER, first)
    expect(await late.retry(OWNER, first, { only: 'failed' })).toMatchObject({ failedOf: first })
    expect((await executions.get(OWNER, first)).rowsDeletedAt).not.toBeNull()
    meanwhile = () => executions.delete(OWNER, first)
    await expect(late.retry(OWNER, first, { only: 'failed' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(meanwhile).toBeNull()
  })

  it('says so if the report of that run is gone, and starts with less for an earlier version', async () => {
    const { state, executions, start, work, read, pagesOf, store } = shop()
    const first = await start(RECIPE)
    await work()
    state.isDown = false
    const records = createRecords(store)
    const change = new Change()
    for (const { value } of await records.visits.list('acme', { within: [first], limit: 10 })) {
      const { found: _, trail: _trail, ...visit } = value
      records.visits.put(change, 'acme', visit)
    }
    await records.commit(change)
    const old = await executions.retry(OWNER, first, { only: 'failed' })
    await work()
    // The page's position in the list is not known, so the list is followed for three pages again.
    expect((await pagesOf(old.id)).map(([path]) => path)).toContain('/list4')
    const late = await executions.retry(OWNER, first, { only: 'failed' })
    await executions.delete(OWNER, first)
    await work()
    expect(await read(late.id)).toMatchObject({
      status: 'failed',
      reason: { code: 'report_not_kept' },
    })
  })
})
