import { afterAll, expect, test } from 'vitest'
import { createJwtAuthenticator } from '../../../adapters/jose/index.ts'
import type { Authenticator } from '../../../src/ports/authenticator.ts'
import type { Store } from '../../../src/ports/store.ts'
import { unauthorized } from '../../../src/kernel/errors.ts'
import cases from '../../fixtures/auth-cases.json' with { type: 'json' }
import { encodePart, hmacSigner, signToken } from '../../support/fakes/jwt-issuer.ts'
import { recordCalls } from '../../support/stores/recorded-store.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  KEYS,
  createHost,
  createJwtHost,
  servesKeys,
  tokenOf,
} from './setup.ts'

const TASKS = '/api/v1/tasks'
const MESSAGE = 'A valid credential is required'
const issuer = await servesKeys()
const host = createJwtHost(issuer.url)
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

/** The same store, which stays open when one of its platforms is closed. */
const { store } = host
const shared: Store = {
  get: (keys) => store.get(keys),
  list: (range) => store.list(range),
  commit: (change) => store.commit(change),
  close: async () => undefined,
}
const owner = { account: 'user-1', user: 'user-1', scopes: ['*'] }
const { secret: key } = await host.platform.api.keys.create(owner, {
  name: 'CI',
  scopes: ['tasks:read'],
})
const jwt = await tokenOf()
const second = await tokenOf({ sub: 'user-2' })
const forged = await tokenOf({}, {}, KEYS.foreign)

type Sent = readonly (readonly [name: string, value: string])[] | string

/** The parts that each request of the fixture sends: headers, or a path with a query. */
const SENT: Readonly<Record<string, Sent>> = {
  'a JWT without a scheme': [['authorization', jwt]],
  'a JWT under Basic': [['authorization', `Basic ${jwt}`]],
  'a JWT under Token': [['authorization', `Token ${jwt}`]],
  'two Authorization headers, two JWTs': [
    ['authorization', `Bearer ${jwt}`],
    ['authorization', `Bearer ${second}`],
  ],
  'two Authorization headers, the same JWT': [
    ['authorization', `Bearer ${jwt}`],
    ['authorization', `Bearer ${jwt}`],
  ],
  'two Authorization headers, Basic and a JWT': [
    ['authorization', 'Basic dXNlcjpwYXNz'],
    ['authorization', `Bearer ${jwt}`],
  ],
  'a JWT and an API key of one account': [
    ['authorization', `Bearer ${jwt}`],
    ['x-api-key', key],
  ],
  'a JWT and a wrong API key': [
    ['authorization', `Bearer ${jwt}`],
    ['x-api-key', `${key}x`],
  ],
  'a wrong JWT and an API key': [
    ['authorization', `Bearer ${forged}`],
    ['x-api-key', key],
  ],
  'two Authorization headers and an API key': [
    ['authorization', 'Basic dXNlcjpwYXNz'],
    ['authorization', `Bearer ${jwt}`],
    ['x-api-key', key],
  ],
  'an API key as bearer': [['authorization', `Bearer ${key}`]],
  'an API key in its own header': [['x-api-key', key]],
  'the same API key in both headers': [
    ['authorization', `Bearer ${key}`],
    ['x-api-key', key],
  ],
  'two X-API-Key headers': [
    ['x-api-key', key],
    ['x-api-key', key],
  ],
  'a JWT in X-API-Key': [['x-api-key', jwt]],
  'a JWT with the scheme in X-API-Key': [['x-api-key', `Bearer ${jwt}`]],
  'a JWT in ?access_token': `${TASKS}?access_token=${jwt}`,
  'a JWT in ?token': `${TASKS}?token=${jwt}`,
  'an API key in ?api_key': `${TASKS}?api_key=${key}`,
  'a JWT in a cookie': [['cookie', `token=${jwt}`]],
  'a JWT in X-Forwarded-Authorization': [['x-forwarded-authorization', `Bearer ${jwt}`]],
  'a JWT in Proxy-Authorization': [['proxy-authorization', `Bearer ${jwt}`]],
  'the scheme in lower case': [['authorization', `bearer ${jwt}`]],
  'the scheme in mixed case': [['authorization', `bEaReR ${jwt}`]],
  'headers that claim another account': [
    ['authorization', `Bearer ${jwt}`],
    ['x-tenant-id', 'globex'],
    ['x-forwarded-user', 'root'],
  ],
  'no credential': [],
  'an empty bearer': [['authorization', 'Bearer ']],
}

test('every case has a request, and every request a case', () => {
  expect(Object.keys(SENT).toSorted()).toEqual(Object.keys(cases.transport).toSorted())
})

test.for(Object.entries(cases.transport))('%s: %i', async ([name, status]) => {
  const sent = SENT[name] ?? []
  const headers = new Headers()
  if (typeof sent !== 'string') for (const [header, value] of sent) headers.append(header, value)
  const answer = await host.call(headers, typeof sent === 'string' ? sent : TASKS)
  expect(answer.status).toBe(status)
  if (status === 401)
    expect([JSON.parse(answer.body), answer.headers.get('www-authenticate')]).toEqual([
      { success: false, error: { code: 'UNAUTHORIZED', message: MESSAGE } },
      'Bearer',
    ])
})

test('a credential in the query is not logged', () => {
  const text = JSON.stringify(host.logged)
  for (const secret of [jwt, key]) expect(text).not.toContain(secret)
})

test('the account comes from the token, not from a header', async () => {
  const init = {
    method: 'POST',
    body: JSON.stringify({
      name: 'Shop',
      recipe: {
        start: { urls: ['https://shop.example.com/'] },
        extract: { fields: { title: 'h1' } },
      },
    }),
  }
  const write = await tokenOf({ scope: 'tasks:*', org_id: 'acme' })
  const created = await host.call(
    {
      authorization: `Bearer ${write}`,
      'content-type': 'application/json',
      'x-tenant-id': 'globex',
    },
    TASKS,
    init,
  )
  expect(created.status).toBe(201)
  const path = `${TASKS}/${JSON.parse(created.body).data.id}`
  expect((await host.bearer(await tokenOf({ org_id: 'acme', sub: 'user-9' }), path)).status).toBe(
    200,
  )
  expect((await host.bearer(await tokenOf({ org_id: 'globex' }), path)).status).toBe(404)
  expect((await host.bearer(jwt, path)).status).toBe(404)
})

test('each form of credential has its own check: a JWT reads no store, an API key asks no issuer', async () => {
  const recorded = recordCalls(createMemoryStore())
  await using keys = await servesKeys()
  await using own = createJwtHost(keys.url, {}, { store: recorded.store })
  for (const value of [`svc_sk_${'A'.repeat(43)}`, 'svc_sk_a.b.c', 'svc_sk_'])
    expect((await own.bearer(value)).status).toBe(401)
  expect(keys.state.asked).toBe(0)
  recorded.calls.length = 0
  for (const token of [forged, `${jwt}=`, await tokenOf({ exp: 1 }), await tokenOf({ iss: 'x' })])
    expect((await own.bearer(token)).status).toBe(401)
  expect(recorded.calls).toEqual([])
})

test('each form of credential can be switched off', async () => {
  await using noKeys = createJwtHost(
    issuer.url,
    {},
    { store: shared, apiKeys: { headers: { bearer: false, apiKey: false } } },
  )
  const status = async (one: Pick<typeof host, 'call'>, headers: Record<string, string>) =>
    (await one.call(headers)).status
  const forms = [
    { authorization: `Bearer ${jwt}` },
    { authorization: `Bearer ${key}` },
    { 'x-api-key': key },
  ]
  expect(await Promise.all(forms.map((form) => status(noKeys, form)))).toEqual([200, 401, 401])
  await using noBearerKeys = createJwtHost(
    issuer.url,
    {},
    { store: shared, apiKeys: { headers: { bearer: false } } },
  )
  expect(await Promise.all(forms.map((form) => status(noBearerKeys, form)))).toEqual([
    200, 401, 200,
  ])
  await using noJwt = createHost({ store: shared })
  expect(await Promise.all(forms.map((form) => status(noJwt, form)))).toEqual([401, 200, 200])
})

test('several issuers: each token goes to its own, and a bad one ends there', async () => {
  const SECRET = 'a shared secret of more than thirty-two bytes'
  const app = createJwtAuthenticator({
    secret: SECRET,
    issuer: 'app',
    audience: AUDIENCE,
    principal: ({ sub }) => ({ account: 'app', user: sub, scopes: ['*'] }),
  })
  const tokens: string[] = []
  const last: Authenticator = async (request) => (
    tokens.push(request.headers.get('authorization') ?? ''),
    { account: 'anyone', user: 'anyone', scopes: ['*'] }
  )
  const first = createJwtAuthenticator({
    jwks: issuer.url,
    privateHost: '127.0.0.1',
    issuer: ISSUER,
    audience: AUDIENCE,
  })
  await using both = createHost({ authenticators: [first, app, last] })
  const byApp = (claims: Record<string, unknown>, by = SECRET) =>
    signToken(
      { alg: 'HS256', typ: 'JWT' },
      { ...CLAIMS, iss: 'app', ...claims },
      hmacSigner(new TextEncoder().encode(by)),
    )
  expect((await both.bearer(jwt)).status).toBe(200)
  expect((await both.bearer(await byApp({}))).status).toBe(200)
  for (const token of [
    forged,
    await tokenOf({ exp: 1 }),
    await byApp({ exp: 1 }),
    await byApp({}, 'another secret of more than thirty-two bytes'),
    await byApp({ iss: ISSUER }),
    await tokenOf({ iss: 'app' }),
  ]) {
    expect((await both.bearer(token)).status).toBe(401)
  }
  expect(tokens).toEqual([])
  // A token of a third issuer, an opaque one and no token at all are left to the next check.
  for (const token of [
    await tokenOf({ iss: 'https://third.example/' }),
    'ya29.opaque',
    `${encodePart('{}')}.x.y`,
  ])
    expect((await both.bearer(token)).status).toBe(200)
  expect(tokens).toHaveLength(3)
})

test('a check of the host can also answer a request with 401', async () => {
  const refusing: Authenticator = async (request) => {
    if (request.headers.get('x-session') === 'stolen') throw unauthorized()
    return null
  }
  await using own = createHost({ store: shared, authenticators: [refusing] })
  expect((await own.call({ 'x-api-key': key })).status).toBe(200)
  expect((await own.call({ 'x-api-key': key, 'x-session': 'stolen' })).status).toBe(401)
})

test('failed tokens count against the address of the client', async () => {
  await using limited = createJwtHost(
    issuer.url,
    {},
    { rateLimits: { authentication: { limit: 2, periodMs: 60_000, burst: 1 } } },
  )
  const from = async (clientIp: string, token: string) =>
    (
      await limited.platform.fetch(
        new Request(`http://host.test${TASKS}`, { headers: { authorization: `Bearer ${token}` } }),
        { clientIp },
      )
    ).status
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push(await from('192.0.2.1', forged))
  expect(statuses.at(0)).toBe(401)
  expect(statuses.at(-1)).toBe(429)
  expect(await from('192.0.2.2', forged)).toBe(401)
  expect(await from('192.0.2.1', jwt)).toBe(200)
})

test('a JWT is recognised by the headers alone, without a Request', async () => {
  const SECRET = 'a shared secret of more than thirty-two bytes'
  const options = { secret: SECRET, issuer: ISSUER, audience: AUDIENCE }
  const services = {
    clock: host.clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    document: () => expect.fail(),
  }
  const { byHeaders } = createJwtAuthenticator(options).create(services)
  const token = await signToken(
    { alg: 'HS256', typ: 'JWT' },
    CLAIMS,
    hmacSigner(new TextEncoder().encode(SECRET)),
  )
  expect(await byHeaders?.(new Headers({ authorization: `Bearer ${token}` }))).toMatchObject({
    user: 'user-1',
    scopes: ['tasks:read'],
  })
  await expect(
    byHeaders?.(new Headers({ authorization: `Bearer ${token}x` })),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await byHeaders?.(new Headers({ 'x-api-key': key }))).toBeNull()
})

test('a call with a JWT constructs no Request', async () => {
  const lazy = (token: string) => ({
    method: 'GET',
    url: `http://host.test${TASKS}`,
    headers: new Headers({ authorization: `Bearer ${token}` }),
    body: null,
    signal: new AbortController().signal,
    toRequest: () => expect.fail('a Request was made'),
  })
  expect((await host.platform.fetch.reply(lazy(jwt))).status).toBe(200)
  expect((await host.platform.fetch.reply(lazy(forged))).status).toBe(401)
})

test("where the host says so, scopes of a token that the account's plan lacks are not granted", async () => {
  const plan = ['tasks:read']
  await using own = createJwtHost(issuer.url, {
    principal: ({ sub, scope }) => ({
      account: sub,
      user: sub,
      scopes: String(scope)
        .split(' ')
        .filter((one) => plan.includes(one)),
    }),
  })
  const token = await tokenOf({ scope: 'tasks:read executions:read' })
  expect((await own.bearer(token)).status).toBe(200)
  expect((await own.bearer(token, '/api/v1/executions')).status).toBe(403)
})
