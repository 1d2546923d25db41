import { expect, test } from 'vitest'
import { admitTokens } from '../../../adapters/command/jwt-issuer.ts'
import { createFakeFetcher } from '../../support/fakes/fake-fetcher.ts'
import { AUDIENCE, KEYS, createHost, tokenOf } from '../jose/setup.ts'

const ISSUER = 'https://issuer.example.com/'
const ours = { iss: ISSUER }

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
  const host = createHost({ authenticators: [admitTokens(ISSUER, [AUDIENCE])], fetcher })
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
    createHost({ authenticators: [admitTokens('http://localhost:8080/realms/a', [AUDIENCE])] }),
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
