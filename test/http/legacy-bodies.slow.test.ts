import { describe, expect, it, test } from 'vitest'
import type { LegacyBodies } from '../../src/http/legacy-bodies.ts'
import type { OpenApiDocument } from '../../src/http/openapi/types.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { DocumentCheck } from '../support/sources/document-check.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakePayments } from '../support/fakes/fake-payments.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
const B = '/api/v1/billing'

/** A call of each operation of billing, and a call that gives an error of that operation. */
const OPERATIONS: Readonly<
  Record<
    string,
    {
      readonly method?: 'POST' | 'PUT'
      readonly path: string
      readonly body?: object
      readonly wrong: { readonly path?: string; readonly body?: object }
      readonly status: number
    }
  >
> = {
  'billing.balance': { path: 'balance', wrong: { path: 'balance?x=1' }, status: 400 },
  'billing.ledger': { path: 'ledger', wrong: { path: 'ledger?from=then' }, status: 400 },
  'billing.activity': { path: 'activity', wrong: { path: 'activity?limit=0' }, status: 400 },
  'billing.usage': { path: 'usage', wrong: { path: 'usage?period=2026' }, status: 400 },
  'billing.callers': { path: 'usage/callers', wrong: { path: 'usage/callers?by=ip' }, status: 400 },
  'billing.plans': { path: 'plans', wrong: { path: 'plans?x=1' }, status: 400 },
  'billing.subscription': {
    path: 'subscription',
    wrong: { path: 'subscription?x=1' },
    status: 400,
  },
  'billing.subscribe': {
    method: 'PUT',
    path: 'subscription',
    body: { plan: 'open' },
    wrong: { body: { plan: 'dear' } },
    status: 402,
  },
  'billing.statements': { path: 'statements', wrong: { path: 'statements?cursor=x' }, status: 400 },
  'billing.statement': {
    path: 'statements/2026-01',
    wrong: { path: 'statements/2025-01' },
    status: 404,
  },
  'billing.topUp': {
    method: 'POST',
    path: 'top-ups',
    body: { credits: 5 },
    wrong: { body: { credits: 0 } },
    status: 400,
  },
  'billing.topUps': { path: 'top-ups', wrong: { path: 'top-ups?limit=0' }, status: 400 },
  'billing.getTopUp': { path: 'top-ups/ID', wrong: { path: 'top-ups/none' }, status: 404 },
}

/**
 * A platform some of whose billing operations have such bodies. Any answer that its own description
 * does not have makes the test fail.
 */
async function open(legacy: Readonly<Record<string, LegacyBodies>>, more: PlatformOptions = {}) {
  const clock = createFakeClock()
  const plans = [
    { id: 'open', name: 'Open', creditsPerMonth: 0, overdraft: null },
    { id: 'dear', name: 'Dear', creditsPerMonth: 9, price: { amount: 1, currency: 'EUR' } },
  ] as const
  const platform = createPlatform({
    logger: silent,
    clock,
    random: seededRandom(),
    payments: createFakePayments(),
    rateLimits: false,
    ...more,
    billing: { plans, legacy },
  })
  const { id } = await platform.api.billing.topUp(owner, { credits: 5 })
  const { secret } = await platform.api.keys.create(owner, { name: 'test', scopes: ['*'] })
  const document: OpenApiDocument = await (
    await platform.fetch(new Request('http://host.test/api/v1/openapi.json'))
  ).json()
  const check = new DocumentCheck(document)
  const ask = async (method: string, path: string, body?: object, key: string | null = secret) => {
    const url = new URL(`http://host.test${path.replace('ID', id)}`)
    const response = await platform.fetch(
      new Request(url, {
        method,
        headers: {
          ...(key !== null && { 'X-API-Key': key }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    expect(await check.violations(method, url.pathname, response)).toEqual([])
    return { status: response.status, body: await response.json() }
  }
  return { platform, document, ask }
}

const untouched = await open({})
const enveloped = { success: true, data: expect.any(Object) }
const refused = { success: false, error: { code: expect.any(String), message: expect.any(String) } }
const FORMS: readonly (readonly [LegacyBodies | null, 'envelope' | 'bare', 'envelope' | 'text'])[] =
  [
    [null, 'envelope', 'envelope'],
    ['error', 'envelope', 'text'],
    ['bare', 'bare', 'envelope'],
    ['both', 'bare', 'text'],
  ]

test('every operation of billing is tried', () => {
  const named = Object.entries(untouched.document.paths).flatMap(([path, methods]) =>
    path.startsWith(B) ? Object.values(methods).map(({ operationId }) => operationId) : [],
  )
  expect(named.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
})

describe.each(Object.entries(OPERATIONS))(
  '%s',
  (operation, { method = 'GET', path, body, wrong, status }) => {
    it.each(FORMS)('%s: success %s, errors %s', async (choice, success, error) => {
      const { ask, document } = choice === null ? untouched : await open({ [operation]: choice })
      const plain = await untouched.ask(method, `${B}/${path}`, body)
      const answer = await ask(method, `${B}/${path}`, body)
      expect(answer.status).toBe(method === 'POST' ? 201 : 200)
      expect(plain.body).toEqual(enveloped)
      // Equal except for ids and times.
      expect(Object.keys(success === 'bare' ? answer.body : answer.body.data)).toEqual(
        Object.keys(plain.body.data),
      )
      if (success === 'envelope') expect(answer.body).toEqual(enveloped)
      const failed = await ask(method, `${B}/${wrong.path ?? path}`, wrong.body ?? body)
      const denied = await ask(method, `${B}/${path}`, body, null)
      expect([failed.status, denied.status]).toEqual([status, 401])
      if (error === 'text')
        expect([failed.body, denied.body]).toEqual([
          { error: expect.any(String) },
          { error: 'A valid credential is required' },
        ])
      else
        expect([failed.body, denied.body]).toEqual([
          { ...refused, error: expect.objectContaining(refused.error) },
          refused,
        ])
      // The description says the same, and other operations are unchanged.
      const described =
        document.paths[`${B}/${path.replace('2026-01', '{id}').replace('ID', '{id}')}`]?.[
          method.toLowerCase()
        ] ?? expect.fail()
      expect(JSON.stringify(described.responses['401']).includes('Text')).toBe(error === 'text')
      const neighbour = operation === 'billing.plans' ? 'balance' : 'plans'
      expect((await ask('GET', `${B}/${neighbour}`)).body).toEqual(enveloped)
      expect((await ask('GET', `${B}/${neighbour}?x=1`)).body).toMatchObject({ success: false })
      expect((await ask('GET', '/api/v1/tasks')).body).toEqual(enveloped)
      expect((await ask('GET', `${B}/nothing`)).body).toEqual({
        success: false,
        error: { code: 'NOT_FOUND', message: expect.any(String) },
      })
    })
  },
)

test('a statement as a file is unchanged, and its error has the form of the bodies', async () => {
  const { platform } = await open({ 'billing.statement': 'both' })
  const { secret } = await platform.api.keys.create(owner, {
    name: 'files',
    scopes: ['billing:read'],
  })
  const get = (path: string) =>
    platform.fetch(
      new Request(`http://host.test${B}/${path}`, { headers: { 'X-API-Key': secret } }),
    )
  expect(await (await get('statements/2026-01?format=csv')).text()).toMatch(/^at,id,kind/)
  expect(await (await get('statements/2020-01?format=csv')).json()).toEqual({
    error: 'Statement not found',
  })
})

test("the limiter's rejection stays in the envelope", async () => {
  const { ask } = await open(
    { 'billing.balance': 'both' },
    { rateLimits: { billing: { limit: 1, periodMs: 60_000, burst: 0 } } },
  )
  expect((await ask('GET', `${B}/balance`)).body).toMatchObject({ credits: { wallet: 5 } })
  expect(await ask('GET', `${B}/balance`)).toEqual({
    status: 429,
    body: { success: false, error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' } },
  })
})

test('an unknown operation or choice is refused when the platform is made', () => {
  const make = (legacy: Record<string, LegacyBodies>) => () =>
    createPlatform({ logger: silent, billing: { legacy } })
  expect(make({ 'billing.balanse': 'bare' })).toThrow(
    /^billing\.legacy: billing\.balanse is not a billing operation; known: billing\.balance, billing\.ledger, /,
  )
  expect(make({ 'tasks.list': 'bare' })).toThrow(TypeError)
  expect(make({ 'billing.balance': 'text' as LegacyBodies })).toThrow(
    'must be "error" or "bare" or "both"',
  )
  expect(make({ 'billing.balance': 'constructor' as LegacyBodies })).toThrow(TypeError)
})
