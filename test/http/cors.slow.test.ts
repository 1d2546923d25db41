import { expect, it } from 'vitest'
import type { AnyRoute } from '../../src/kernel/http/route.ts'
import { failingCases } from '../support/failing-cases.ts'
import { ROUTE_FIXTURES } from '../support/worlds/routes/route-fixtures.ts'
import { addressOf } from '../support/worlds/routes/route-request.ts'
import { seedRoutes } from '../support/worlds/routes/seed-routes.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const ORIGIN = 'https://app.example'
const { routes } = await createServiceHost()
const listed = await seedRoutes({
  cors: { origins: [ORIGIN, 'http://localhost:5173'], credentials: true, maxAgeSeconds: 60 },
})

// Reads come first, as a deletion leaves nothing to read.
const reading = routes.toSorted((a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'))
const exposedOf = (headers: Headers) =>
  (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/,\s*/)

it('a page of a listed origin may read every route and every error of it', async () => {
  const nameOf = (route: AnyRoute) => route.operation
  const failing = await failingCases(reading, nameOf, async (route) => {
    const { operation } = route
    const path = addressOf(route.path, await (ROUTE_FIXTURES[operation] ?? expect.fail())(listed))
    const answers = [
      await listed.host.send(route.method, path, {
        headers: { Origin: ORIGIN, Accept: 'image/png' },
      }),
      await listed.host.send(route.method, path, { headers: { Origin: ORIGIN }, key: null }),
      await listed.host.send('PUT', path, { headers: { Origin: ORIGIN } }),
      await listed.host.send(route.method, `${path}&x=%ff`, { headers: { Origin: ORIGIN } }),
      await listed.host.send(route.method === 'GET' ? 'HEAD' : route.method, path, {
        headers: { Origin: ORIGIN, 'Content-Type': 'text/plain' },
        body: route.method === 'GET' ? undefined : 'x',
      }),
    ]
    for (const { headers } of answers) {
      expect([
        headers.get('access-control-allow-origin'),
        headers.get('access-control-allow-credentials'),
        headers.get('vary')?.split(', ').includes('Origin'),
      ]).toEqual([ORIGIN, 'true', true])
      expect(exposedOf(headers)).toEqual(
        expect.arrayContaining([
          'x-request-id',
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
          'retry-after',
          'etag',
          'content-disposition',
          'idempotency-replayed',
        ]),
      )
    }
    const preflight = await listed.host.send('OPTIONS', path, {
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': route.method },
      key: null,
    })
    expect([
      preflight.status,
      preflight.headers.get('access-control-max-age'),
      preflight.headers.get('vary'),
    ]).toEqual([204, '60', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'])
    expect(preflight.headers.get('access-control-allow-methods')?.split(', ')).toContain(
      route.method,
    )
    expect(
      preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', '),
    ).toEqual(
      expect.arrayContaining([
        'authorization',
        'x-api-key',
        'content-type',
        'idempotency-key',
        'if-match',
        'if-none-match',
      ]),
    )
  })
  expect(failing).toEqual([])
})
