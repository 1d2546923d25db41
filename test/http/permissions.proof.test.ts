import { expect, it } from 'vitest'
import type { AnyRoute } from '../../src/kernel/http/route.ts'
import { SCOPES, grants } from '../../src/kernel/scope.ts'
import { failingCases } from '../support/failing-cases.ts'
import { ROUTE_FIXTURES } from '../support/worlds/routes/route-fixtures.ts'
import {
  CANARY,
  NOTHING_OWN,
  PUBLIC_IDS,
  addressOf,
} from '../support/worlds/routes/route-request.ts'
import { seedRoutes } from '../support/worlds/routes/seed-routes.ts'
import type { RouteRequest, Seeded } from '../support/worlds/routes/route-request.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const { routes } = await createServiceHost({ operator: true })
const families = [...new Set(SCOPES.map((scope) => scope.replace(/:.*/, ':*')))]
const fixtureOf = async (operation: string, seeded: Seeded): Promise<RouteRequest> =>
  (ROUTE_FIXTURES[operation] ?? expect.fail(`${operation} has no fixture`))(seeded)

/** Calls a route; returns everything that its caller sees as one text. */
async function ask(
  { host }: Seeded,
  route: AnyRoute,
  request: RouteRequest,
  key: string | null,
  headers: Record<string, string> = {},
) {
  const response = await host.send(route.method, addressOf(route.path, request), {
    key,
    headers,
    ...(request.body !== undefined && { body: request.body }),
  })
  const seen = [
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    await response.text(),
  ].join('\n')
  return { status: response.status, headers: response.headers, seen }
}

/** All records of an account, except the notes of authentication and idempotency. */
async function recordsOf({ host }: Seeded, account: string): Promise<string> {
  const entries = await host.store.list({ prefix: [account], limit: 10_000 })
  return JSON.stringify(
    entries
      .filter(({ key }) => key[1] !== 'requests')
      .map(({ key, value }) => [
        key,
        typeof value === 'object' && value !== null ? { ...value, lastUsedAt: null } : value,
      ]),
  )
}

it('every route has a fixture, and no fixture is without a route', () => {
  expect(Object.keys(ROUTE_FIXTURES).toSorted()).toEqual(
    routes.map(({ operation }) => operation).toSorted(),
  )
})

const failingRoutes = (rows: readonly AnyRoute[], check: (route: AnyRoute) => Promise<void>) =>
  failingCases(rows, ({ operation }) => operation, check)

it('every route succeeds with its own scope alone', async () => {
  const failing = await failingRoutes(routes, async (route) => {
    const { operation, scope } = route
    const seeded = await seedRoutes()
    const { status, seen } = await ask(
      seeded,
      route,
      await fixtureOf(operation, seeded),
      scope === null ? null : await seeded.host.keyOf('acme', [scope]),
    )
    expect([status, seen]).toEqual([route.status ?? 200, seen])
    // A fixture that finds no record would prove nothing.
    if (route.method === 'GET' && scope !== null && !NOTHING_OWN.has(operation))
      expect(seen).toContain(CANARY)
  })
  expect(failing).toEqual([])
})

const guarded = routes.filter(({ scope }) => scope !== null)

it('only routes for everybody have no scope', () => {
  expect(
    routes
      .filter((route) => !guarded.includes(route))
      .map(({ operation }) => operation)
      .toSorted(),
  ).toEqual([
    'media.file',
    'templates.categories',
    'templates.get',
    'templates.list',
    'webhooks.unsubscribe',
    'webhooks.unsubscribePage',
  ])
})

const UNAUTHORIZED = JSON.stringify({
  success: false,
  error: { code: 'UNAUTHORIZED', message: 'A valid credential is required' },
})

it('every route with a scope is 401 without a credential, and with an invalid one', async () => {
  const failing = await failingRoutes(guarded, async (route) => {
    const { operation } = route
    const seeded = await seedRoutes()
    const fixture = await fixtureOf(operation, seeded)
    const before = await recordsOf(seeded, 'acme')
    for (const key of [null, 'svc_sk_unknown', 'nonsense', '']) {
      const { status, headers, seen } = await ask(seeded, route, fixture, key)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
      expect(seen.split('\n').at(-1)).toBe(UNAUTHORIZED)
      expect(seen).not.toContain(CANARY)
    }
    expect(await recordsOf(seeded, 'acme')).toBe(before)
  })
  expect(failing).toEqual([])
})

it('every route is 403 with every scope but its own', async () => {
  const failing = await failingRoutes(guarded, async (route) => {
    const { operation } = route
    const seeded = await seedRoutes()
    const fixture = await fixtureOf(operation, seeded)
    const scope = route.scope ?? expect.fail()
    const others = [...SCOPES, ...families].filter(
      (other) => ![scope, ...(route.otherScopes ?? [])].some((one) => grants([other], one)),
    )
    // Any credential may read its own identity.
    if (operation === 'me.get') return expect(others).toEqual([])
    expect(others.length).toBeGreaterThan(10)
    const keys = [
      ...(await Promise.all(others.map((other) => seeded.host.keyOf('acme', [other])))),
      await seeded.host.keyOf('acme', others),
    ]
    const before = await recordsOf(seeded, 'acme')
    for (const key of keys) {
      const { status, headers, seen } = await ask(seeded, route, fixture, key)
      expect([status, headers.get('www-authenticate')]).toEqual([
        403,
        `Bearer error="insufficient_scope", scope="${scope}"`,
      ])
      expect(seen).toContain('"FORBIDDEN"')
      expect(seen).not.toContain(CANARY)
    }
    expect(await recordsOf(seeded, 'acme')).toBe(before)
  })
  expect(failing).toEqual([])
})

it('no route reveals anything to another account, whatever id, cursor, ETag or idempotency key it sends', async () => {
  // Operators see all accounts; the next test proves that others see nothing there.
  const ofAccounts = guarded.filter(({ scope }) => scope !== 'operator')
  const failing = await failingRoutes(ofAccounts, async (route) => {
    const { operation } = route
    const seeded = await seedRoutes()
    const { host } = seeded
    const fixture = await fixtureOf(operation, seeded)
    const stranger = await host.keyOf('umbra')
    const before = await recordsOf(seeded, 'acme')
    const hasId = fixture.params !== undefined && !PUBLIC_IDS.test(route.path)
    const strange: { request: RouteRequest; headers?: Record<string, string>; wanted: number }[] = [
      { request: fixture, wanted: hasId ? 404 : (route.status ?? 200) },
    ]
    if (route.method === 'GET') {
      strange.push({
        request: fixture,
        headers: { 'If-None-Match': '*' },
        wanted: hasId ? 404 : route.data ? 304 : 200,
      })
    } else
      strange.push({
        request: fixture,
        headers: { 'If-Match': '*' },
        wanted: hasId ? 404 : (route.status ?? 200),
      })
    if (fixture.cursor !== undefined) {
      const cursor = { ...fixture, query: { ...fixture.query, cursor: fixture.cursor } }
      strange.push({ request: cursor, wanted: hasId ? 404 : 400 })
    }
    for (const { request, headers, wanted } of strange) {
      const { status, seen } = await ask(seeded, route, request, stranger, headers)
      expect([request, headers, status]).toEqual([request, headers, wanted])
      expect(seen).not.toContain(CANARY)
      expect(
        idsIn(seen).filter((id) => isTheirs(seeded, id) && !JSON.stringify(request).includes(id)),
      ).toEqual([])
    }
    expect(await recordsOf(seeded, 'acme')).toBe(before)

    // The idempotency key of another account is a new key here.
    const once = { 'Idempotency-Key': 'theirs' }
    const own = await ask(seeded, route, fixture, host.key, once)
    const { headers, seen, status } = await ask(seeded, route, fixture, stranger, once)
    expect([own.status, headers.get('idempotency-replayed'), status]).toEqual([
      route.status ?? 200,
      null,
      hasId ? 404 : (route.status ?? 200),
    ])
    expect(seen).not.toContain(CANARY)
  })
  expect(failing).toEqual([])
})

it('no credential of an account is one of an operator, not even with all scopes', async () => {
  const ofOperators = guarded.filter(({ scope }) => scope === 'operator')
  expect(ofOperators.length).toBeGreaterThan(15)
  const failing = await failingRoutes(ofOperators, async (route) => {
    const seeded = await seedRoutes()
    const fixture = await fixtureOf(route.operation, seeded)
    for (const account of ['acme', 'umbra']) {
      const { status, seen } = await ask(
        seeded,
        route,
        fixture,
        await seeded.host.keyOf(account, ['*']),
      )
      expect(status).toBe(403)
      expect(seen).not.toContain(CANARY)
    }
  })
  expect(failing).toEqual([])
})

function idsIn(text: string): string[] {
  return text.match(/\b(?:task|exec|key|ds|med|hook)_\w+/g) ?? []
}

function isTheirs(
  { task, idle, execution, paused, finished, key, dataset, spare, media, webhook }: Seeded,
  id: string,
): boolean {
  return [task, idle, execution, paused, finished, key, dataset, spare, media, webhook].includes(id)
}
