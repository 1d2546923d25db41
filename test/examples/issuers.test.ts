import { afterAll, expect, test } from 'vitest'
import { byAuth0 } from '../../examples/issuers/auth0.ts'
import { byClerk } from '../../examples/issuers/clerk.ts'
import { byCognito } from '../../examples/issuers/cognito.ts'
import { byEntraId } from '../../examples/issuers/entra-id.ts'
import { byKeycloak } from '../../examples/issuers/keycloak.ts'
import { createHost } from '../adapters/jose/setup.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { createSigningKey, signToken } from '../support/fakes/jwt-issuer.ts'

const NOW = Date.UTC(2026, 0, 1) / 1000
const TENANT = '11111111-2222-4333-8444-555555555555'
const POOL = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123'
const REALM = 'https://id.example.com/realms/acme'

const key = await createSigningKey('k1', 'RS256')
const { key_ops: _, ...published } = key.jwk
const { alg: __, ...withoutAlg } = published

/** The place where each issuer publishes its keys, and their form. */
const KEY_SETS = {
  'https://acme.eu.auth0.com/.well-known/jwks.json': [{ ...published, x5t: 't', x5c: ['MII'] }],
  // Keys without `alg`, and with an issuer of their own.
  [`https://login.microsoftonline.com/${TENANT}/discovery/v2.0/keys`]: [
    { ...withoutAlg, x5t: 't', issuer: `https://login.microsoftonline.com/${TENANT}/v2.0` },
  ],
  [`${POOL}/.well-known/jwks.json`]: [published],
  'https://clerk.example.com/.well-known/jwks.json': [published],
  // With a key for encryption.
  [`${REALM}/protocol/openid-connect/certs`]: [
    { ...published, kid: 'e1', use: 'enc', alg: 'RSA-OAEP' },
    published,
  ],
}

const host = createHost({
  authenticators: [byAuth0, byEntraId, byCognito, byClerk, byKeycloak],
  fetcher: createFakeWeb(
    Object.fromEntries(
      Object.entries(KEY_SETS).map(([url, keys]) => [
        url,
        { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ keys }) },
      ]),
    ),
  ),
})
afterAll(() => host[Symbol.asyncDispose]())

const TIMES = { iat: NOW - 10, exp: NOW + 3_590 }

/** The headers and claims of each issuer. */
const TOKENS = {
  auth0: {
    header: { alg: 'RS256', typ: 'JWT', kid: 'k1' },
    claims: {
      iss: 'https://acme.eu.auth0.com/',
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      aud: ['https://data.example.com', 'https://acme.eu.auth0.com/userinfo'],
      iat: NOW - 10,
      exp: NOW + 86_390,
      azp: 'my_client_id',
      scope: 'openid profile email',
      permissions: ['tasks:read', 'tasks:write'],
    },
  },
  'entra-id': {
    header: { typ: 'JWT', alg: 'RS256', kid: 'k1' },
    claims: {
      ...TIMES,
      nbf: NOW - 10,
      aud: '66666666-7777-4888-9999-000000000000',
      iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      azp: 'aaaaaaaa-7777-4888-9999-000000000000',
      azpacr: '0',
      oid: 'bbbbbbbb-7777-4888-9999-000000000000',
      rh: '0.AQ',
      scp: 'tasks:read executions:read',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: TENANT,
      uti: 'fqiBqXLPj0eQa82S-IYFAA',
      ver: '2.0',
    },
  },
  cognito: {
    header: { kid: 'k1', alg: 'RS256' },
    claims: {
      ...TIMES,
      sub: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      'cognito:groups': ['admin'],
      iss: POOL,
      version: 2,
      client_id: '4h57mr5mftbk2a0uh3example',
      origin_jti: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      event_id: 'f0000000-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      token_use: 'access',
      scope: 'openid https://data.example.com/tasks:read',
      auth_time: NOW - 10,
      jti: 'dddddddd-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      username: 'ann',
    },
  },
  clerk: {
    header: { alg: 'RS256', cat: 'cl_B7d4PD111AAA', kid: 'k1', typ: 'JWT' },
    claims: {
      azp: 'https://app.example.com',
      exp: NOW + 50,
      fva: [7, -1],
      iat: NOW - 10,
      iss: 'https://clerk.example.com',
      nbf: NOW - 20,
      o: { id: 'org_2vXk', rol: 'admin', slg: 'acme' },
      sid: 'sess_2GaMqUCB3Sc1WNAkWuNzsnYVVEy',
      sts: 'active',
      sub: 'user_2vYVtestTESTtestTESTtestTESTtest',
      v: 2,
    },
  },
  keycloak: {
    header: { alg: 'RS256', typ: 'JWT', kid: 'k1' },
    claims: {
      ...TIMES,
      auth_time: NOW - 20,
      jti: 'onrtac:9c0c',
      iss: REALM,
      aud: ['seine', 'account'],
      sub: 'f1f0bd33-1d3c-44d7-8b5b-fd2e4b4c4e4a',
      typ: 'Bearer',
      azp: 'frontend',
      sid: 'd5e8',
      acr: '1',
      'allowed-origins': ['https://app.example.com'],
      realm_access: { roles: ['offline_access'] },
      scope: 'openid email tasks:read',
    },
  },
} as const

type Issuer = keyof typeof TOKENS

const statusOf = async (issuer: Issuer, change: Record<string, unknown> = {}) => {
  const { header, claims } = TOKENS[issuer]
  return (await host.bearer(await signToken(header, { ...claims, ...change }, key))).status
}

test.for(['auth0', 'entra-id', 'cognito', 'clerk', 'keycloak'] as const)(
  'a token of %s is admitted unchanged, and no other token is',
  async (issuer) => {
    expect(await statusOf(issuer)).toBe(200)
    expect(await statusOf(issuer, { aud: 'https://other.example' })).toBe(401)
    expect(await statusOf(issuer, { exp: NOW - 60 })).toBe(401)
    expect(await statusOf(issuer, { iat: undefined })).toBe(401)
  },
)

test.for<readonly [what: string, issuer: Issuer, change: Record<string, unknown>, status: number]>([
  ["a user's scopes", 'entra-id', { scp: 'User.Read' }, 403],
  ['an API without permissions in its tokens', 'auth0', { permissions: undefined }, 403],
  ['another app client', 'cognito', { client_id: 'other' }, 401],
  ['an ID token', 'cognito', { aud: '4h57mr5mftbk2a0uh3example', token_use: 'id' }, 401],
  ['a page of somebody else', 'clerk', { azp: 'https://evil.example' }, 401],
  ['no page', 'clerk', { azp: undefined }, 401],
  ['a token for the account console', 'keycloak', { aud: 'account' }, 401],
])('a token with %s of %s is refused', async ([, issuer, change, status]) => {
  expect(await statusOf(issuer, change)).toBe(status)
})

test("the organisation in Clerk's token is the account", async () => {
  const { header, claims } = TOKENS.clerk
  const accountOf = async (change: Record<string, unknown>) => {
    const create = await host.call(
      {
        authorization: `Bearer ${await signToken(header, { ...claims, ...change }, key)}`,
        'content-type': 'application/json',
      },
      '/api/v1/tasks',
      {
        method: 'POST',
        body: JSON.stringify({ recipe: { start: { urls: ['https://shop.example.com/'] } } }),
      },
    )
    expect(create.status).toBe(201)
    return { account: 'org_2vXk', user: 'ann', scopes: ['*'] }
  }
  const owner = await accountOf({})
  expect((await host.platform.api.tasks.list(owner)).items).toHaveLength(1)
  await accountOf({ o: undefined })
  expect((await host.platform.api.tasks.list(owner)).items).toHaveLength(1)
})
