import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { AnyRoute } from '../../../src/kernel/http/route.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

/** Lists with a fixed order, and the reasons why they have no parameters for time and order. */
const OWN_ORDER: Readonly<Record<string, string>> = {
  'executions.pages': 'a receipt is in the order in which URLs were found',
  'results.list': 'rows are in the order of their pages',
  'datasets.items': 'items are in the order of their keys',
  'datasets.changes': 'a feed goes on from where its reader is',
  'snapshots.files': 'style sheets come before pictures',
  'templates.list': 'the best match comes first',
  'templates.categories': 'the largest category comes first',
  'analytics.tasks': 'sums over a period, which is what `from` and `to` say there',
  'mcp.tools': 'six tools',
}

const BODIES: Readonly<Record<string, object>> = {
  'agentic-executions': { tool: 'search', arguments: { query: 'pens' } },
  'top-ups': { credits: 5 },
}

const host = await createServiceHost()

async function isList({ method, data }: AnyRoute): Promise<boolean> {
  const schema = method === 'GET' && (await data?.())
  return schema && 'entries' in schema
    ? Object.keys(Object(schema.entries)).includes('nextCursor')
    : false
}
const lists: AnyRoute[] = []
for (const route of host.routes) if (await isList(route)) lists.push(route)
const timed = lists.filter(({ operation }) => !Object.hasOwn(OWN_ORDER, operation))

const namesOf = ({ query }: AnyRoute): readonly string[] =>
  query && 'entries' in query ? Object.keys(Object(query.entries)) : []
const failing = (rows: readonly AnyRoute[], check: (route: AnyRoute) => void | Promise<void>) =>
  failingCases(
    rows,
    ({ operation }) => operation,
    async (route) => check(route),
  )

it('every list accepts a time, an order and pages, or has a reason for its fixed order', async () => {
  expect(timed.length).toBeGreaterThan(10)
  expect(
    await failing(timed, (route) => {
      expect(namesOf(route)).toEqual(
        expect.arrayContaining(['from', 'to', 'sort', 'count', 'limit', 'cursor']),
      )
    }),
  ).toEqual([])
  const names = lists.map(({ operation }) => operation)
  expect(Object.keys(OWN_ORDER).filter((name) => !names.includes(name))).toEqual([])
  const own = lists.filter(({ operation }) => Object.hasOwn(OWN_ORDER, operation))
  // A feed can be read backwards as well.
  expect(
    own.filter((route) => namesOf(route).includes('sort')).map(({ operation }) => operation),
  ).toEqual(['datasets.changes'])
})

it('every list that can be counted says how many items it has', async () => {
  const createdId = async (path: string, body: object): Promise<string> =>
    (await host.call('POST', path, { body })).body.data.id
  const task = await createdId('/api/v1/tasks', { recipe: recipeOf() })
  const url = 'https://hooks.example.com/'
  const hook = await createdId('/api/v1/webhooks', { url, events: ['*'] })
  for (const path of [
    `/api/v1/tasks/${task}/executions`,
    `/api/v1/webhooks/${hook}/test`,
    '/api/v1/mcp/agentic-executions',
    '/api/v1/billing/top-ups',
  ])
    await createdId(path, BODIES[path.split('/').at(-1) ?? ''] ?? {})
  await addMedia(host, 'acme', { bytes: new Uint8Array(1), sourceUrl: url })
  let items = 0
  expect(
    await failing(timed, async ({ path }) => {
      const target = path.replace(':id', path.includes('tasks') ? task : hook)
      const { status, body } = await host.call('GET', `${target}?count=true&limit=100`)
      expect([status, body.data.nextCursor]).toEqual([200, null])
      const { length } = body.data.items
      expect(body.data).toMatchObject({ total: length, totalAtLeast: length })
      items += length
    }),
  ).toEqual([])
  expect(items).toBeGreaterThan(timed.length)
})

it('a parameter of several lists means the same in each, and its refusal names the allowed values', async () => {
  expect(
    await failing(timed, ({ query }) => {
      if (!query) throw new Error('It has no query')
      for (const [sent, allowed] of [
        [{ sort: 'name' }, /createdAt.*-createdAt/],
        [{ limit: '101' }, /1 to 100/],
        [{ count: 'yes' }, /true.*false/],
      ] as const) {
        const { issues } = v.safeParse(query, sent)
        expect(issues?.map(({ message }) => message).join()).toMatch(allowed)
      }
      expect(
        v.safeParse(query, { sort: '-createdAt', from: '2030-01', to: '2030-02' }).success,
      ).toBe(true)
    }),
  ).toEqual([])
})
