import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { AnyRoute } from '../../../src/kernel/http/route.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

/** Lists whose order is their own, and why no time and no other order could be asked for. */
const OWN_ORDER: Readonly<Record<string, string>> = {
  'executions.pages': 'a receipt is in the order in which URLs were found',
  'results.list': 'rows are in the order of their pages',
  'datasets.items': 'items are in the order of their keys',
  'datasets.changes': 'a feed goes on from where its reader is',
  'templates.list': 'the best match comes first',
  'templates.categories': 'the largest category comes first',
  'analytics.tasks': 'sums over a period, which is what `from` and `to` say there',
  'mcp.tools': 'six tools',
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

it('every list takes a time, an order and pages, or says why it has an order of its own', async () => {
  expect(timed.length).toBeGreaterThan(10)
  expect(
    await failing(timed, (route) => {
      expect(namesOf(route)).toEqual(
        expect.arrayContaining(['from', 'to', 'sort', 'limit', 'cursor']),
      )
    }),
  ).toEqual([])
  const names = lists.map(({ operation }) => operation)
  expect(Object.keys(OWN_ORDER).filter((name) => !names.includes(name))).toEqual([])
  const own = lists.filter(({ operation }) => Object.hasOwn(OWN_ORDER, operation))
  expect(own.filter((route) => namesOf(route).includes('sort'))).toEqual([])
})

it('a parameter that lists share means the same in each, and its refusal names what is allowed', async () => {
  expect(
    await failing(timed, ({ query }) => {
      if (!query) throw new Error('It has no query')
      for (const [sent, allowed] of [
        [{ sort: 'name' }, /createdAt.*-createdAt/],
        [{ limit: '101' }, /1 to 100/],
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
