import * as v from 'valibot'
import { expect, test } from 'vitest'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { createHttp } from '../../src/http/handler.ts'
import { withLegacyBodies } from '../../src/http/legacy-bodies.ts'
import type { LegacyBodies } from '../../src/http/legacy-bodies.ts'
import { createOpenApi } from '../../src/http/openapi/create-openapi.ts'
import { DEFAULT_INFO } from '../../src/http/openapi/info.ts'
import { notFound } from '../../src/kernel/errors.ts'
import { createIds } from '../../src/kernel/id.ts'
import { defineRoute } from '../../src/kernel/route.ts'
import { createPlatform } from '../../src/platform.ts'
import { createDescribed } from '../support/described.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { seededRandom } from '../support/seeded-random.ts'

// Stand-ins for the billing routes, which come with their feature.
const billing = { scope: 'billing:read', limit: 'billing', method: 'GET' } as const
const rows = [
  defineRoute({ ...billing, path: '/api/v1/billing/balance', operation: 'billing.balance', summary: 'Reads the balance', data: v.strictObject({ credits: v.number() }), handler: async () => ({ credits: 5 }) }),
  defineRoute({
    ...billing, path: '/api/v1/billing/statements/:id', operation: 'billing.statement', summary: 'Reads a statement', params: v.strictObject({ id: v.string() }),
    data: v.strictObject({ id: v.string() }), handler: () => Promise.reject(notFound('Statement')),
  }),
  defineRoute({ scope: 'tasks:read', limit: 'tasks', method: 'GET', path: '/api/v1/tasks', operation: 'tasks.list', summary: 'Lists tasks', data: v.strictObject({}), handler: async () => ({}) }),
]
const clock = createFakeClock()
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Asks a host with these choices; fails for any answer that its description does not have. */
function open(legacy: Record<string, LegacyBodies>, limit = 100) {
  const routes = withLegacyBodies(rows, legacy)
  const http = createDescribed(routes, createHttp({
    routes, logger: silent, clock, ids: createIds({ now: clock.now, random: seededRandom() }),
    limiter: createMemoryLimiter({ clock }), rates: { billing: { limit, periodMs: 60_000, burst: 0 } },
    authenticators: [async (request) => (request.headers.get('authorization') === 'Bearer ann' ? { account: 'acme', user: 'ann', scopes: ['*'] } : null)],
  }))
  const get = async (path: string, authorization = 'Bearer ann') => {
    await clock.advance(60_000 / limit)
    return (await http(new Request(`http://host.test/api/v1/${path}`, { headers: { authorization } }))).json()
  }
  return { routes, get, http }
}

const ENVELOPE = { success: true, data: { credits: 5 } }
const MISSING = { success: false, error: { code: 'NOT_FOUND', message: 'Statement not found' } }

test.for([
  [{}, ENVELOPE, MISSING],
  [{ 'billing.balance': 'bare' }, { credits: 5 }, MISSING],
  [{ 'billing.balance': 'error' }, ENVELOPE, MISSING],
  [{ 'billing.statement': 'error' }, ENVELOPE, { error: 'Statement not found' }],
  [{ 'billing.statement': 'bare' }, ENVELOPE, MISSING],
  [{ 'billing.balance': 'both', 'billing.statement': 'both' }, { credits: 5 }, { error: 'Statement not found' }],
] satisfies [Record<string, LegacyBodies>, object, object][])('%j', async ([legacy, balance, statement]) => {
  const { get } = open(legacy)
  expect(await get('billing/balance')).toEqual(balance)
  expect(await get('billing/statements/x')).toEqual(statement)
  expect(await get('tasks')).toEqual({ success: true, data: {} })
})

test('every error of the operation but the limiter\'s is a text', async () => {
  const { get } = open({ 'billing.balance': 'error' })
  expect(await get('billing/balance', '')).toEqual({ error: 'A valid credential is required' })
  expect(await get('billing/balance?x=1')).toEqual({ error: expect.stringContaining('x') })
  const { http } = open({ 'billing.balance': 'both' }, 1)
  const ask = async () => (await http(new Request('http://host.test/api/v1/billing/balance', { headers: { authorization: 'Bearer ann' } }))).json()
  expect([await ask(), await ask()]).toEqual([{ credits: 5 }, { success: false, error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' } }])
})

test('the description says so', () => {
  const { paths } = createOpenApi(withLegacyBodies(rows, { 'billing.balance': 'both' }), DEFAULT_INFO)
  const { responses } = paths['/api/v1/billing/balance']?.['get'] ?? expect.fail()
  expect(responses['200']).toMatchObject({ content: { 'application/json': { schema: { required: ['credits'] } } } })
  expect(JSON.stringify(responses['401'])).toContain('Text')
  expect(JSON.stringify(paths['/api/v1/billing/statements/{id}']?.['get']?.responses['404'])).not.toContain('Text')
})

test('what is no billing operation, or no choice, is refused when the platform is made', () => {
  expect(() => open({ 'billing.balanse': 'bare' })).toThrow(new TypeError('billing.legacy: billing.balanse is no billing operation; there are billing.balance, billing.statement'))
  expect(() => open({ 'tasks.list': 'bare' })).toThrow(TypeError)
  expect(() => open({ 'billing.balance': 'text' as LegacyBodies })).toThrow('error, bare, both')
  expect(() => open({ 'billing.balance': 'constructor' as LegacyBodies })).toThrow(TypeError)
  expect(() => createPlatform({ logger: silent, billing: { legacy: { 'tasks.create': 'bare' } } })).toThrow('billing.legacy: tasks.create is no billing operation')
})
