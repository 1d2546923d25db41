import { expect, test } from 'vitest'
import { createJwtAuthenticator } from '../../../adapters/jose/index.ts'
import type {
  JwtAuthenticatorOptions,
  JwtKeySetOptions,
  JwtSecretOptions,
} from '../../../adapters/jose/index.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createFakeFetcher } from '../../support/fakes/fake-fetcher.ts'
import { hmacSigner, pemOf, signToken } from '../../support/fakes/jwt-issuer.ts'
import cases from '../../fixtures/auth-cases.json' with { type: 'json' }
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  KEYS,
  NOW,
  createHost,
  createJwtHost,
  headerOf,
  servesKeys,
  tokenOf,
} from './setup.ts'

const RULES = { issuer: ISSUER, audience: AUDIENCE }
const SECRET = 'a shared secret of more than thirty-two bytes'
const JWKS = new URL('https://issuer.example.com/jwks.json')
const bytesOf = (text: string) => new TextEncoder().encode(text)
const byHmac = (
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  secret = SECRET,
) =>
  signToken(
    { alg: 'HS256', typ: 'JWT', ...header },
    { ...CLAIMS, ...claims },
    hmacSigner(bytesOf(secret)),
  )
const withSecret = (more: Partial<JwtSecretOptions> = {}) =>
  createHost({ authenticators: [createJwtAuthenticator({ ...RULES, secret: SECRET, ...more })] })

const REFUSED_OPTIONS: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['no issuer', { issuer: '' }, 'issuer'],
  ['no audience', { audience: undefined }, 'audience'],
  ['an empty audience', { audience: [] }, 'audience'],
  ['any audience', { audience: true }, 'audience'],
  ['no client at all', { clients: [] }, 'clients'],
  ['an audience of nothing', { audience: [''] }, 'audience'],
  ['no types at all', { types: [] }, 'types'],
  ['a lifetime of zero', { maxLifetimeSeconds: 0 }, 'maxLifetimeSeconds'],
  ['an endless lifetime', { maxLifetimeSeconds: Number.POSITIVE_INFINITY }, 'maxLifetimeSeconds'],
  ['algorithm none', { algorithms: ['none'] }, 'not "none"'],
  ['algorithm HS256', { algorithms: ['RS256', 'HS256'] }, 'not "HS256"'],
  ['no algorithm', { algorithms: [] }, 'algorithms'],
  ['a negative cache', { cacheMs: -1 }, 'cacheMs'],
  ['no cooldown', { cooldownMs: 0 }, 'cooldownMs'],
  ['keys and a secret', { secret: SECRET }, 'not both'],
  ['neither', { jwks: undefined }, 'either jwks or secret'],
  ['a secret of 31 bytes', { jwks: undefined, secret: 's'.repeat(31) }, 'at least 32 bytes'],
  ['an empty secret', { jwks: undefined, secret: '' }, 'at least 32 bytes'],
  ['a short list of bytes', { jwks: undefined, secret: new Uint8Array(16) }, 'at least 32 bytes'],
  ['a PEM for a secret', { jwks: undefined, secret: await pemOf(KEYS.r1) }, 'PEM'],
]

test('options without protection are refused', async () => {
  const failing = await failingCases(
    REFUSED_OPTIONS,
    ([name]) => name,
    ([, options, message]) => {
      // A host in JavaScript could write these.
      const untyped: unknown = { ...RULES, jwks: JWKS, ...options }
      expect(() => createJwtAuthenticator(untyped as JwtAuthenticatorOptions)).toThrow(message)
      expect(() => createJwtAuthenticator(untyped as JwtAuthenticatorOptions)).toThrow(TypeError)
    },
  )
  expect(failing).toEqual([])
})

test.for<readonly [string, Partial<JwtKeySetOptions>, string]>([
  ['http://issuer.example.com/jwks.json', {}, "privateHost: 'issuer.example.com'"],
  ['https://127.0.0.1/jwks.json', {}, "privateHost: '127.0.0.1'"],
  ['https://[::1]/jwks.json', {}, "privateHost: '[::1]'"],
  ['https://auth.internal/jwks.json', {}, "privateHost: 'auth.internal'"],
  ['https://auth/jwks.json', {}, "privateHost: 'auth'"],
  ['https://169.254.169.254/latest', {}, 'not on the public internet'],
  ['https://issuer.example.com:22/jwks.json', {}, 'Port 22'],
  ['https://user:pass@issuer.example.com/jwks.json', {}, 'Credentials'],
  [
    'https://auth.internal/jwks.json',
    { privateHost: 'other.internal' },
    'privateHost is other.internal',
  ],
  ['file:///etc/passwd', {}, 'Only http'],
  ['data:application/json,{}', {}, 'Only http'],
  ['https://auth.internal/jwks.json', { privateHost: '' }, 'privateHost must be a text'],
])('a key set at %s is refused when the platform is made', ([url, more, message]) => {
  const make = () =>
    createHost({
      authenticators: [createJwtAuthenticator({ ...RULES, jwks: new URL(url), ...more })],
    })
  expect(make).toThrow(message)
})

test.for<readonly [string, Partial<JwtKeySetOptions>, boolean]>([
  ['https://issuer.example.com/jwks.json', {}, false],
  ['https://auth.internal/jwks.json', { privateHost: 'auth.internal' }, false],
  ['http://10.0.0.7:8080/jwks.json', { privateHost: '10.0.0.7' }, false],
  ['http://auth/jwks.json', {}, true],
])(
  'a key set at %s with %j, private network allowed: %s',
  async ([url, more, allowPrivateNetwork]) => {
    const fetcher = createFakeFetcher({
      answer: () => ({ body: JSON.stringify({ keys: [KEYS.r1.jwk] }) }),
      dns: { 'auth.internal': [['10.0.0.7']], auth: [['10.0.0.7']] },
    })
    await using host = createJwtHost(new URL(url), more, {
      fetcher,
      allowPrivateNetwork,
      authenticators: [createJwtAuthenticator({ ...RULES, jwks: new URL(url), ...more })],
    })
    expect((await host.bearer(await tokenOf())).status).toBe(200)
    expect(
      fetcher.sent.map((hop) => [hop.url.href, hop.method, hop.headers['accept'], hop.body]),
    ).toEqual([[url, 'GET', 'application/json', undefined]])
  },
)

test('a name with a private address is refused before a packet leaves; the log says what to do', async () => {
  const fetcher = createFakeFetcher({ dns: { 'issuer.example.com': [['10.0.0.7']] } })
  await using host = createHost({
    fetcher,
    authenticators: [createJwtAuthenticator({ ...RULES, jwks: JWKS })],
  })
  const answer = await host.bearer(await tokenOf())
  expect(answer.status).toBe(503)
  expect(answer.body).not.toContain('issuer.example.com')
  expect(fetcher.sent).toEqual([])
  expect(String(host.logged.find(({ level }) => level === 'error')?.fields?.['error'])).toContain(
    "privateHost: 'issuer.example.com'",
  )
})

test('recipes cannot reach a host that is trusted for keys', async () => {
  await using issuer = await servesKeys()
  await using host = createJwtHost(issuer.url)
  const body = JSON.stringify({
    name: 'x',
    recipe: { start: { urls: [issuer.url.href] }, extract: { fields: { title: 'h1' } } },
  })
  const answer = await host.call(
    {
      authorization: `Bearer ${await tokenOf({ scope: '*' })}`,
      'content-type': 'application/json',
    },
    '/api/v1/tasks',
    { method: 'POST', body },
  )
  expect(answer.status).toBe(400)
})

test.for<readonly [string, Promise<string>, number]>([
  ['a good one', byHmac(), 200],
  ['one with a key id', byHmac({}, { kid: 'anything' }), 200],
  ['another secret', byHmac({}, {}, SECRET.toUpperCase()), 401],
  ['HS384', byHmac({}, { alg: 'HS384' }), 401],
  ['none', signToken({ alg: 'none', typ: 'JWT' }, CLAIMS, new Uint8Array(0)), 401],
  ['an empty secret', byHmac({}, {}, ''), 401],
  ['RS256 by anyone', tokenOf({}, { typ: 'JWT' }), 401],
  ['an expired one', byHmac({ iat: NOW - 900, exp: NOW - 300 }), 401],
  ['iat in the future', byHmac({ iat: NOW + 31 }), 401],
  ['a text for exp', byHmac({ exp: '9999999999' }), 401],
  ['crit', byHmac({}, { crit: ['exp'] }), 401],
])('with a secret, %s: %s', async ([, token, status]) => {
  for (const secret of [SECRET, bytesOf(SECRET)]) {
    await using host = withSecret({ secret })
    expect((await host.bearer(await token)).status).toBe(status)
    expect(host.sent).toEqual([])
  }
})

test.for<readonly [readonly string[] | undefined, string | undefined, number]>([
  [undefined, 'JWT', 200],
  [undefined, 'at+jwt', 200],
  [undefined, undefined, 200],
  [undefined, 'dpop+jwt', 401],
  [['JWT'], 'jwt', 200],
  [['JWT'], 'at+jwt', 401],
  [['JWT'], undefined, 401],
  [['application/AT+JWT'], 'at+jwt', 200],
])('with types %j, a token of typ %s is answered %i', async ([types, typ, status]) => {
  await using host = withSecret(types ? { types } : {})
  expect((await host.bearer(await byHmac({}, { typ }))).status).toBe(status)
})

test('only algorithms of the option are accepted', async () => {
  await using issuer = await servesKeys()
  await using host = createJwtHost(issuer.url, { algorithms: ['ES256'] })
  expect((await host.bearer(await tokenOf({}, headerOf(KEYS.e1), KEYS.e1))).status).toBe(200)
  expect((await host.bearer(await tokenOf())).status).toBe(401)
})

test('a token needs one of several audiences only, and the option may shorten its lifetime', async () => {
  await using host = withSecret({ audience: ['one', 'two'], maxLifetimeSeconds: 610 })
  expect((await host.bearer(await byHmac({ aud: 'two' }))).status).toBe(200)
  expect((await host.bearer(await byHmac({ aud: ['three', 'one'] }))).status).toBe(200)
  expect((await host.bearer(await byHmac({ aud: 'three' }))).status).toBe(401)
  expect((await host.bearer(await byHmac({ aud: 'two', exp: NOW + 601 }))).status).toBe(401)
})

test.for<
  readonly [options: Partial<JwtSecretOptions>, claims: Record<string, unknown>, status: number]
>([
  // A host gets tokens without an audience only if its options say so, and then no others.
  [{}, { aud: undefined }, 401],
  [{ audience: false }, { aud: undefined }, 200],
  [{ audience: false }, {}, 401],
  [{ audience: false }, { aud: [] }, 401],
  [{ audience: false }, { aud: null }, 401],
  // The same holds for the time of issue. The lifetime is bounded with it and without it.
  [{}, { iat: undefined }, 401],
  [{ withoutIat: true }, { iat: undefined }, 200],
  [{ withoutIat: true }, { iat: null }, 401],
  [{ withoutIat: true }, { iat: NOW + 31 }, 401],
  [{ withoutIat: true }, { iat: undefined, exp: NOW + 86_300 }, 200],
  [{ withoutIat: true }, { iat: undefined, exp: NOW + 86_401 }, 401],
  [{ withoutIat: true }, { iat: NOW - 86_000, exp: NOW + 600 }, 401],
  // The party that asked for the token.
  [{ clients: 'app' }, { azp: 'app' }, 200],
  [{ clients: ['app', 'cli'] }, { client_id: 'cli' }, 200],
  [{ clients: 'app' }, { azp: 'other', client_id: 'app' }, 401],
  [{ clients: 'app' }, { client_id: ['app'] }, 401],
  [{ clients: 'app' }, {}, 401],
  // Names of scopes with a prefix.
  [{ scopePrefix: 'api/' }, { scope: 'openid api/tasks:read' }, 200],
  [{ scopePrefix: 'api/' }, { scope: 'tasks:read' }, 403],
  [{ scopePrefix: 'api/' }, { scope: 'api/ other/tasks:read' }, 403],
])('with options %j, a token with claims %j is answered %i', async ([options, claims, status]) => {
  await using host = withSecret(options)
  expect((await host.bearer(await byHmac(claims))).status).toBe(status)
})

test('every scope of the fixture has its status', async () => {
  const nameOf = ([scope, status]: [string, number]) => `${JSON.stringify(scope)}: ${status}`
  await using host = withSecret()
  const failing = await failingCases(
    Object.entries(cases.scope),
    nameOf,
    async ([scope, status]) => {
      const answer = await host.bearer(await byHmac({ scope }))
      expect(answer.status).toBe(status)
      if (status === 403)
        expect(answer.headers.get('www-authenticate')).toBe(
          'Bearer error="insufficient_scope", scope="tasks:read"',
        )
    },
  )
  expect(failing).toEqual([])
})

const SCOPE_CLAIMS: readonly (readonly [Record<string, unknown>, number])[] = [
  [{ scope: undefined, scp: ['tasks:read'] }, 200],
  [{ scope: undefined, scopes: ['x', 'tasks:*'] }, 200],
  [{ scope: undefined }, 403],
  [{ scope: ['tasks:read'] }, 200],
  [{ scope: { 'tasks:read': true } }, 403],
  [{ scope: null, scp: ['tasks:read'] }, 200],
  [{ scope: 'openid profile', scp: ['tasks:read'] }, 200],
  [{ scope: undefined, scp: 'tasks:read' }, 200],
  [{ scope: undefined, scp: 'openid tasks:read' }, 200],
  [{ scope: undefined, scp: ['tasks:read', 1] }, 403],
  [{ scope: undefined, scp: [['tasks:read']] }, 403],
  [{ scope: undefined, scopes: [] }, 403],
  [{ scope: 'openid profile', permissions: ['tasks:read'] }, 200],
  [{ scope: undefined, permissions: { 'tasks:read': true } }, 403],
  [{ scope: undefined, roles: ['tasks:read'] }, 403],
  [{ scope: undefined, role: 'admin' }, 403],
]

test('scopes are read only from claims of the right name and form', async () => {
  const failing = await failingCases(
    SCOPE_CLAIMS,
    ([claims]) => JSON.stringify(claims),
    async ([claims, status]) => {
      await using host = withSecret()
      expect((await host.bearer(await byHmac(claims))).status).toBe(status)
    },
  )
  expect(failing).toEqual([])
})

test.for<readonly [string, Record<string, unknown>, number]>([
  ['none', {}, 401],
  ['the reserved account', { account: '~', user: 'u' }, 401],
  ['an empty account', { account: '', user: 'u' }, 401],
  ['an empty user', { account: 'a', user: '' }, 401],
  ['an unpaired surrogate', { account: '\ud800', user: 'u' }, 401],
  ['one with a scope', { account: 'a', user: 'u', scopes: ['tasks:read'] }, 200],
  ['one without scopes', { account: 'a', user: 'u', scopes: [] }, 403],
])("a host's own principal, %s: %i", async ([name, fields, status]) => {
  const principal = name === 'none' ? null : { account: '', user: '', scopes: ['*'], ...fields }
  await using host = withSecret({ principal: async () => principal })
  expect((await host.bearer(await byHmac())).status).toBe(status)
})
