import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createHttp } from '../../src/http/handler.ts'
import { createIds } from '../../src/kernel/id.ts'
import type { AnyRoute } from '../../src/kernel/http/route.ts'
import type { Store } from '../../src/ports/store.ts'
import { failingCases } from '../support/failing-cases.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { ROUTE_FIXTURES } from '../support/worlds/routes/route-fixtures.ts'
import { addressOf } from '../support/worlds/routes/route-request.ts'
import { seedRoutes } from '../support/worlds/routes/seed-routes.ts'
import type { Seeded } from '../support/worlds/routes/route-request.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const { routes } = await createServiceHost({ operator: true })
const CAUSE = 'postgres://admin:hunter2@10.0.0.5 refused'
const STORELESS = new Set([
  'templates.list',
  'templates.categories',
  'templates.get',
  'webhooks.unsubscribePage',
])
const REQUEST_ID = 'trace_12345678'
const MESSAGE = `Something went wrong on our side (request ${REQUEST_ID})`
const opaque = ({ bodies }: AnyRoute) =>
  bodies?.error === 'text'
    ? { error: MESSAGE }
    : { success: false, error: { code: 'INTERNAL_SERVER_ERROR', message: MESSAGE } }

/** A store that fails from its k-th call on, counted from when it is armed. */
function failingStore() {
  const base = createMemoryStore({ clock: createFakeClock() })
  let left = Number.POSITIVE_INFINITY
  const failing =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (left-- <= 0) throw new Error(CAUSE)
      return call(...args)
    }
  const store: Store = {
    get: failing((keys) => base.get(keys)),
    list: failing((range) => base.list(range)),
    commit: failing((change) => base.commit(change)),
    close: () => base.close(),
  }
  return { store, failAfter: (calls: number) => void (left = calls), hasFailed: () => left < 0 }
}

async function ask(seeded: Seeded, route: AnyRoute) {
  const request = await (ROUTE_FIXTURES[route.operation] ?? expect.fail(route.operation))(seeded)
  return () =>
    seeded.host.send(route.method, addressOf(route.path, request), {
      headers: { 'X-Request-Id': REQUEST_ID, 'Idempotency-Key': 'x' },
      ...(request.body !== undefined && { body: request.body }),
    })
}

const causesIn = (logged: readonly { level: string; fields: unknown }[]) =>
  JSON.stringify(logged, (_, value) =>
    value instanceof Error ? `${value.message} ${String(value.cause)}` : value,
  )

it('a route whose store fails at any call is 500 with only the request id, and the cause is logged', async () => {
  const nameOf = ({ operation }: AnyRoute) => operation
  const failing = await failingCases(routes, nameOf, async (route) => {
    let failures = 0
    for (let k = 0; k < 30; k++) {
      const { store, failAfter, hasFailed } = failingStore()
      const seeded = await seedRoutes({ store })
      const send = await ask(seeded, route)
      seeded.host.logged.length = 0
      failAfter(k)
      const response = await send()
      if (response.status === 500) {
        failures++
        expect([k, await response.json(), response.headers.get('x-request-id')]).toEqual([
          k,
          opaque(route),
          REQUEST_ID,
        ])
        expect(causesIn(seeded.host.logged.filter(({ level }) => level === 'error'))).toContain(
          CAUSE,
        )
        continue
      }
      expect([k, response.status]).toEqual([k, route.status ?? 200])
      // A file that fails breaks its connection; any other answer is complete.
      const text = await response.text().catch((error: unknown) => String(error))
      expect(text).not.toContain(CAUSE)
      if (!hasFailed()) break
    }
    // The public catalog is not in the store.
    expect(failures > 0).toBe(!STORELESS.has(route.operation))
  })
  expect(failing).toEqual([])
})

it('a service that fails in any way is 500 as well', async () => {
  for (const fail of [
    () => Promise.reject(new Error(CAUSE)),
    () => {
      throw new TypeError(CAUSE)
    },
    () => Promise.reject(CAUSE),
    () => Promise.reject(undefined),
  ]) {
    const logged: unknown[] = []
    const log = (...entry: unknown[]) => void logged.push(entry)
    const clock = createFakeClock()
    const http = createHttp({
      routes: routes.map(({ params: _params, query: _query, body: _body, ...route }) => ({
        ...route,
        handler: fail,
      })),
      authenticators: [async () => ({ account: 'acme', user: 'ann', scopes: ['*', 'operator'] })],
      limiter: null,
      logger: { debug: log, info: log, warn: log, error: log },
      ids: createIds({ now: clock.now, random: () => new Uint8Array(1) }),
      clock,
    })
    for (const route of routes) {
      const { method, path } = route
      const response = await http(
        new Request(`http://host.test${path}`, { method, headers: { 'X-Request-Id': REQUEST_ID } }),
      )
      expect([path, response.status, await response.json()]).toEqual([path, 500, opaque(route)])
    }
    expect(logged).toHaveLength(routes.length)
  }
})

it('a store of blobs that fails is 500, or breaks the file off', async () => {
  for (const route of routes.filter(
    ({ operation }) => operation.startsWith('results.') || operation === 'media.file',
  )) {
    const seeded = await seedRoutes()
    const send = await ask(seeded, route)
    Object.assign(seeded.host.blobs, { get: () => Promise.reject(new Error(CAUSE)) })
    const response = await send()
    const text = await response.text().catch((error: unknown) => String(error))
    expect(text).toContain(REQUEST_ID)
    expect(text).not.toContain(CAUSE)
    expect(causesIn(seeded.host.logged)).toContain(CAUSE)
  }
})
