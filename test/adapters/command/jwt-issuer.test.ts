import { describe, expect, test } from 'vitest'
import { admitTokens } from '../../../adapters/command/jwt-issuer.ts'
import { createFakeFetcher } from '../../support/fakes/fake-fetcher.ts'
import { AUDIENCE, KEYS, createHost, tokenOf } from '../jose/setup.ts'

const ISSUER = 'https://issuer.example.com/'
const ours = { iss: ISSUER }

const ONLY = { url: ISSUER, name: null, names: [], audience: [AUDIENCE] }

const METADATA = `${ISSUER}.well-known/openid-configuration`
const JWKS = 'https://keys.example.com/jwks'

/** A host that knows the issuer by its URL; `metadata` is the answer that it reads there. */
function hostWith(metadata: object | (() => object)) {
  const fetcher = createFakeFetcher({
    answer: ({ url }) => {
      if (url.href === JWKS) return { body: JSON.stringify({ keys: [KEYS.r1.jwk] }) }
      const body = typeof metadata === 'function' ? metadata() : metadata
      return url.href === METADATA ? { body: JSON.stringify(body) } : { status: 404 }
    },
  })
  const host = createHost({ authenticators: [admitTokens(ONLY)], fetcher })
  return { host, sent: () => fetcher.sent.map(({ url }) => url.href) }
}

test('keys are found by the metadata of the issuer, which is read once', async () => {
  const { host, sent } = hostWith({ issuer: ISSUER, jwks_uri: JWKS })
  const token = await tokenOf(ours)
  expect((await host.call({ 'x-api-key': 'svc_sk_x' })).status).toBe(401)
  expect(sent()).toEqual([])
  for (let time = 0; time < 3; time++) expect((await host.bearer(token)).status).toBe(200)
  expect((await host.bearer(await tokenOf({ ...ours, aud: 'other' }))).status).toBe(401)
  expect((await host.bearer(await tokenOf(ours, {}, KEYS.foreign))).status).toBe(401)
  expect(sent()).toEqual([METADATA, JWKS])
})

test.for<readonly [what: string, metadata: object]>([
  ['of another issuer', { issuer: 'https://other.example/', jwks_uri: JWKS }],
  ['without keys', { issuer: ISSUER }],
  [
    'with keys that are not on the public internet',
    { issuer: ISSUER, jwks_uri: 'http://10.0.0.1/' },
  ],
])('metadata %s admits no token', async ([, metadata]) => {
  const { host, sent } = hostWith(metadata)
  const answer = await host.bearer(await tokenOf(ours))
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await host.bearer(await tokenOf(ours))).status).toBe(503)
  expect(sent()).toEqual([METADATA])
  expect(host.logged.map(({ message }) => message)).toContain(
    'The metadata of the issuer could not be read',
  )
})

test('an issuer on the own network is refused at the start', () => {
  expect(() =>
    createHost({
      authenticators: [admitTokens({ ...ONLY, url: 'http://localhost:8080/realms/a' })],
    }),
  ).toThrow('--jwt-issuer http://localhost:8080 is not public, or not https')
})

test('an issuer that was down is asked again later', async () => {
  let isUp = false
  const { host } = hostWith(() => (isUp ? { issuer: ISSUER, jwks_uri: JWKS } : {}))
  const token = await tokenOf(ours)
  expect((await host.bearer(token)).status).toBe(503)
  isUp = true
  expect((await host.bearer(token)).status).toBe(503)
  await host.clock.advance(5_000)
  expect((await host.bearer(token)).status).toBe(200)
})

describe('of several issuers', () => {
  const PARTNER = 'https://partner.example.com'

  /** A platform that knows two issuers, of which those in `down` do not answer. */
  function hostOfTwo(down: readonly string[] = []) {
    const keysOf = new Map([
      [ISSUER, KEYS.r1],
      [PARTNER, KEYS.e1],
    ])
    const fetcher = createFakeFetcher({
      answer: ({ url }) => {
        const issuer = [ISSUER, PARTNER].find((one) => url.href.startsWith(one)) ?? ''
        const key = keysOf.get(issuer)
        if (key === undefined || down.includes(issuer)) return { status: 503 }
        const metadata = { issuer, jwks_uri: new URL('/jwks', issuer).href }
        return {
          body: JSON.stringify(url.pathname === '/jwks' ? { keys: [key.jwk] } : metadata),
        }
      },
    })
    const common = { names: ['partner'], audience: [AUDIENCE] }
    const host = createHost({
      fetcher,
      operator: true,
      authenticators: [
        admitTokens({ ...common, url: ISSUER, name: null }),
        admitTokens({ ...common, url: PARTNER, name: 'partner' }),
      ],
    })
    /** The status of a request to `path` with a token of these scopes. */
    const statusOf = async (
      path: string,
      claims: { readonly iss: string; readonly scope: string },
    ) => (await host.bearer(await tokenOf(claims, {}, keysOf.get(claims.iss)), path)).status
    /** The account of who asks with a token that is good but for `claims`; else the status. */
    const accountOf = async (claims: Record<string, unknown>, key = KEYS.r1) => {
      const token = await tokenOf({ ...claims, scope: '*' }, {}, key)
      const { status, body } = await host.bearer(token, '/api/v1/me')
      return status === 200 ? JSON.parse(body).data.account : status
    }
    return { accountOf, statusOf }
  }

  test('each has accounts of its own, although users have one name', async () => {
    const { accountOf } = hostOfTwo()
    expect(await accountOf({ iss: ISSUER, org_id: 'acme' })).toBe('acme')
    expect(await accountOf({ iss: PARTNER, org_id: 'acme' }, KEYS.e1)).toBe('partner:acme')
    expect(await accountOf({ iss: ISSUER, org_id: 'partner:acme' })).toBe(401)
    expect(await accountOf({ iss: PARTNER, org_id: 'partner:acme' }, KEYS.e1)).toBe(
      'partner:partner:acme',
    )
  })

  test.for(['operator', '* operator', 'operator *', 'tasks:read operator'])(
    'one with a name makes nobody an operator by the scope %j',
    async (scope) => {
      const { statusOf } = hostOfTwo()
      const path = '/api/v1/operator/accounts'
      expect(await statusOf(path, { iss: PARTNER, scope })).toBe(403)
      expect(await statusOf(path, { iss: ISSUER, scope })).toBe(200)
      const tasks = scope === 'operator' ? 403 : 200
      expect(await statusOf('/api/v1/tasks', { iss: PARTNER, scope })).toBe(tasks)
    },
  )

  test('an account is not longer with the name of its issuer than any may be', async () => {
    const { accountOf } = hostOfTwo()
    const prefix = 'partner:'
    const longest = 'a'.repeat(200 - prefix.length)
    expect(await accountOf({ iss: PARTNER, org_id: longest }, KEYS.e1)).toBe(prefix + longest)
    expect(await accountOf({ iss: PARTNER, org_id: `${longest}a` }, KEYS.e1)).toBe(401)
    expect(await accountOf({ iss: ISSUER, org_id: `${longest}a` })).toBe(`${longest}a`)
  })

  test('none signs for another', async () => {
    const { accountOf } = hostOfTwo()
    expect(await accountOf({ iss: ISSUER }, KEYS.e1)).toBe(401)
    expect(await accountOf({ iss: PARTNER }, KEYS.r1)).toBe(401)
  })

  test('one that is away stops no token of the other', async () => {
    const { accountOf } = hostOfTwo([ISSUER])
    expect(await accountOf({ iss: ISSUER })).toBe(503)
    expect(await accountOf({ iss: PARTNER, org_id: 'acme' }, KEYS.e1)).toBe('partner:acme')
  })
})
