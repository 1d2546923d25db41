import type { RecipeInput } from 'seine'
import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { createRemoteStore } from '../../support/stores/remote-store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const { sql, connect, schema } = await openPostgres()

const SITE = 'https://shop.example.com'
const PAGES = {
  [`${SITE}/list`]:
    ['a', 'b', 'c', 'gone'].map((id) => `<a class="product" href="/p/${id}">${id}</a>`).join('') +
    '<a class="next" href="/list?page=2">Next</a>',
  [`${SITE}/list?page=2`]:
    '<a class="product" href="/p/d">d</a><a class="product" href="/p/a">a</a>',
  ...Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((id, i) => [
      `${SITE}/p/${id}`,
      `<h1>${id}</h1><b class="price">${i}.25</b>`,
    ]),
  ),
}
const RECIPE: RecipeInput = {
  start: { urls: [`${SITE}/list`] },
  follow: [{ links: 'a.product', as: 'detail' }, { next: 'a.next' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
  budget: { credits: 20 },
}

it('the whole platform runs on Postgres, and its views show the same as its API', async () => {
  const clock = createFakeClock()
  const name = schema()
  const open = () =>
    createRemoteStore(createPostgresStore({ client: connect(), schema: name, clock }))
  const store = open()
  const world = createWorld(PAGES, {
    store,
    clock,
    billing: { plans: [{ id: 'free', name: 'Free', creditsPerMonth: 100 }] },
  })
  const { api } = world.platform
  const dataset = await api.datasets.create(OWNER, { name: 'Products', keyFields: ['title'] })
  const task = await api.tasks.create(OWNER, {
    name: "O'Hara",
    recipe: RECIPE,
    datasetId: dataset.id,
  })
  const { id } = await api.executions.start(OWNER, task.id)
  // Another process does the work.
  await world.work(world.join(open()))
  await world.work()

  const execution = await world.read(id)
  expect(execution).toMatchObject({
    status: 'succeeded',
    counters: { discovered: 7, fetched: 6, failed: 1, rows: 4 },
    cost: { credits: 6 },
  })
  expect((await world.rows(id)).map(({ title, price }) => [title, price]).toSorted()).toEqual([
    ['a', 0.25],
    ['b', 1.25],
    ['c', 2.25],
    ['d', 3.25],
  ])
  expect((await world.platform.verify()).differences).toEqual([])

  const ask = async (text: string) =>
    [...(await sql.unsafe(text.replaceAll('@', `${name}.`)))].map((row) => ({ ...row }))
  expect(await ask('SELECT account, id, name, dataset_id, created_at FROM @tasks')).toEqual([
    {
      account: 'acme',
      id: task.id,
      name: "O'Hara",
      dataset_id: dataset.id,
      created_at: new Date(task.createdAt),
    },
  ])
  expect(
    await ask(
      'SELECT e.id, e.status, e.finished_at, p.rows, p.credits, p.outcomes FROM ' +
        '@executions AS e JOIN @progress AS p ON p.execution = e.id',
    ),
  ).toEqual([
    {
      id,
      status: 'succeeded',
      finished_at: new Date(execution.finishedAt ?? 0),
      rows: '4',
      credits: '6',
      outcomes: { fetched: 6, failed: 1 },
    },
  ])
  expect(await ask('SELECT url, outcome, reason_code AS code FROM @pages ORDER BY seq')).toEqual(
    await world.receipt(id),
  )
  expect(
    await ask(
      `SELECT values ->> 'title' AS title, (values -> 'price')::float8 AS price FROM @dataset_items ORDER BY title`,
    ),
  ).toEqual([
    { title: 'a', price: 0.25 },
    { title: 'b', price: 1.25 },
    { title: 'c', price: 2.25 },
    { title: 'd', price: 3.25 },
  ])
  expect(
    await ask('SELECT kind, count(*)::int AS changes FROM @dataset_changes GROUP BY kind'),
  ).toEqual([{ kind: 'added', changes: 4 }])

  const balance = await api.billing.balance(OWNER)
  expect(
    await ask('SELECT credits_wallet::int AS wallet, credits_held::int AS held FROM @wallets'),
  ).toEqual([{ wallet: 94, held: 0 }])
  expect(balance).toMatchObject({ spendable: 94, credits: { wallet: 94, held: 0, revenue: 6 } })
  expect(
    await ask(
      'SELECT sum(moves_wallet)::int AS wallet, sum(moves_revenue)::int AS revenue, ' +
        'sum(coalesce(moves_wallet, 0) + coalesce(moves_held, 0) + coalesce(moves_revenue, ' +
        '0) + coalesce(moves_grants, 0) + coalesce(moves_expired, 0))::int AS total FROM ' +
        '@ledger',
    ),
  ).toEqual([{ wallet: 94, revenue: 6, total: 0 }])
  const today = new Date(Date.UTC(2026, 0, 1))
  expect(
    await ask(
      'SELECT start, series, sum(value)::int AS credits FROM @usage_by_day WHERE metric = ' +
        `'credits' GROUP BY start, series ORDER BY series`,
    ),
  ).toEqual([
    { start: today, series: 'all', credits: 6 },
    { start: today, series: `task:${task.id}`, credits: 6 },
  ])
  await store.close()
})
