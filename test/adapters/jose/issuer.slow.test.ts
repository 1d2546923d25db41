import { expect, test } from 'vitest'
import { createSigningKey } from '../../support/fakes/jwt-issuer.ts'
import { serveHttp } from '../../support/loopback.ts'
import { KEYS, createJwtHost, servesKeys, tokenOf } from './setup.ts'
import type { KeyAnswer } from './setup.ts'

const { r1, r2, e1 } = KEYS
const late = (seconds: number) => ({
  iat: 1_767_225_600 + seconds - 10,
  exp: 1_767_225_600 + seconds + 600,
})
const GARBAGE: Readonly<Record<string, KeyAnswer>> = {
  'status 500': { status: 500, body: '{"keys":[]}' },
  'status 404 with keys': { status: 404, body: JSON.stringify({ keys: [r1.jwk] }) },
  'status 204': { status: 204, body: '' },
  nothing: { body: '' },
  HTML: { body: '<!doctype html><title>Maintenance</title>' },
  'JSON that is no key set': { body: '[]' },
  'a key set without a list': { body: '{"keys":{}}' },
  'JSON of 100,000 levels': { body: '['.repeat(100_000) },
  'a body of 300 KB': { body: JSON.stringify({ keys: [], padding: 'x'.repeat(300_000) }) },
  'a redirect with keys': {
    status: 302,
    headers: { location: '/other.json' },
    body: JSON.stringify({ keys: [r1.jwk] }),
  },
}

test('keys are asked for once, however many requests need them at the same time', async () => {
  await using issuer = await servesKeys()
  await using host = createJwtHost(issuer.url)
  expect(issuer.state.asked).toBe(0)
  const tokens = await Promise.all(
    Array.from({ length: 50 }, (_, n) => tokenOf({ sub: `user-${n}` })),
  )
  const answers = await Promise.all(tokens.map((token) => host.bearer(token)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(issuer.state.asked).toBe(1)
})

test('after the issuer changes its key, the first token of the new key is accepted', async () => {
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  expect((await host.bearer(await tokenOf())).status).toBe(200)
  issuer.publish([r2, e1])
  const [byNew, byOther] = [await tokenOf({}, {}, r2), await tokenOf({}, {}, e1)]
  const answers = await Promise.all(
    [byNew, byOther, byNew, byOther].map((token) => host.bearer(token)),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(issuer.state.asked).toBe(2)
  // From then on tokens of a withdrawn key are refused.
  expect((await host.bearer(await tokenOf())).status).toBe(401)
})

test('a change of key is also noticed at an issuer without key ids', async () => {
  const anonymous = async () => {
    const key = await createSigningKey('x', 'ES256')
    const { kid, ...jwk } = key.jwk
    return { ...key, jwk: { ...jwk, was: kid } }
  }
  const [before, after] = [await anonymous(), await anonymous()]
  await using issuer = await servesKeys([before])
  await using host = createJwtHost(issuer.url)
  const by = (key: typeof before) => tokenOf({}, { kid: undefined }, key)
  expect((await host.bearer(await by(before))).status).toBe(200)
  issuer.publish([after])
  expect((await host.bearer(await by(after))).status).toBe(200)
  expect((await host.bearer(await by(before))).status).toBe(401)
})

test('tokens with made-up key ids cause one request in each cooldown', async () => {
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  await host.bearer(await tokenOf())
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => tokenOf({}, { kid: `made-up-${n}` })),
  )
  for (const guess of guesses) expect((await host.bearer(guess)).status).toBe(401)
  expect(issuer.state.asked).toBe(2)
  issuer.publish([r1, r2])
  expect((await host.bearer(await tokenOf({}, {}, r2))).status).toBe(401)
  await host.clock.advance(29_999)
  expect((await host.bearer(await tokenOf({}, {}, r2))).status).toBe(401)
  await host.clock.advance(1)
  expect((await host.bearer(await tokenOf({}, {}, r2))).status).toBe(200)
  expect(issuer.state.asked).toBe(3)
})

test('a token that no key could make valid causes no request', async () => {
  await using issuer = await servesKeys()
  await using host = createJwtHost(issuer.url)
  const [head, body, signature] = (await tokenOf()).split('.')
  for (const token of [
    `${head}.${body}.${signature}=`,
    `${head}..${signature}`,
    await tokenOf({ iss: 'https://other.example/' }),
    await tokenOf({}, { crit: ['x'] }),
    await tokenOf({}, { typ: 'x' }),
    'x'.repeat(9_000),
  ]) {
    expect((await host.bearer(token)).status).toBe(401)
  }
  expect(issuer.state.asked).toBe(0)
})

test('keys are asked for again once they are ten minutes old', async () => {
  await using issuer = await servesKeys([r1, r2])
  await using host = createJwtHost(issuer.url)
  expect((await host.bearer(await tokenOf())).status).toBe(200)
  issuer.publish([r2])
  await host.clock.advance(599_999)
  expect((await host.bearer(await tokenOf())).status).toBe(200)
  await host.clock.advance(1)
  expect((await host.bearer(await tokenOf(late(600)))).status).toBe(401)
  // The keys were read anew for this token, so its unknown id was no reason to read them once more.
  expect(issuer.state.asked).toBe(2)
})

test.for(Object.entries(GARBAGE))(
  'an issuer answers with %s: calls are 503 if no key is known; known keys serve for an hour',
  async ([, garbage]) => {
    await using issuer = await servesKeys([r1])
    const good = issuer.state.answer
    await using host = createJwtHost(issuer.url)
    issuer.state.answer = garbage
    const refused = await host.bearer(await tokenOf())
    expect([
      refused.status,
      refused.headers.get('retry-after'),
      JSON.parse(refused.body).error.code,
    ]).toEqual([503, '5', 'SERVICE_UNAVAILABLE'])
    expect(host.logged.filter(({ level }) => level === 'error')).toHaveLength(1)

    // Nobody asks again within five seconds.
    issuer.state.answer = good
    expect((await host.bearer(await tokenOf())).status).toBe(503)
    expect(issuer.state.asked).toBe(1)
    await host.clock.advance(5_000)
    expect((await host.bearer(await tokenOf())).status).toBe(200)

    issuer.state.answer = garbage
    await host.clock.advance(600_000)
    expect((await host.bearer(await tokenOf(late(605)))).status).toBe(200)
    await host.clock.advance(3_600_000 - 1)
    expect((await host.bearer(await tokenOf(late(4_205)))).status).toBe(200)
    await host.clock.advance(5_001)
    expect((await host.bearer(await tokenOf(late(4_210)))).status).toBe(503)
    issuer.publish([r1])
    await host.clock.advance(5_000)
    expect((await host.bearer(await tokenOf(late(4_215)))).status).toBe(200)
    expect(host.sent.every((url) => url === issuer.url.href)).toBe(true)
  },
)

test('no call waits for an issuer that is known to be down and does not answer', async () => {
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  await host.bearer(await tokenOf())
  issuer.state.answer = { status: 500, body: '' }
  await host.clock.advance(600_000)
  await host.bearer(await tokenOf(late(600)))
  await host.clock.advance(5_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  issuer.state.hold = promise
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => host.bearer(await tokenOf(late(605)))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  // This is the warning of the read before; the read that hangs has not ended.
  expect(host.logged.filter(({ level }) => level === 'error')).toHaveLength(1)
  resolve()
})

test('an issuer that never answers is given up after ten seconds', async () => {
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  issuer.state.hold = new Promise(() => undefined)
  const started = host.clock.now()
  expect((await host.clock.runUntil(host.bearer(await tokenOf()))).status).toBe(503)
  expect(host.clock.now() - started).toBe(10_000)
})

test('calls are 503 while the issuer is gone, and 200 once it is back', async () => {
  const issuer = await servesKeys([r1])
  const { url } = issuer
  await issuer[Symbol.asyncDispose]()
  await using host = createJwtHost(url)
  expect((await host.bearer(await tokenOf())).status).toBe(503)
  expect((await host.bearer('svc_sk_nobody')).status).toBe(401)
})

test('a redirect is never followed, wherever it leads', async () => {
  await using elsewhere = await serveHttp((_, response) =>
    response.end(JSON.stringify({ keys: [r1.jwk] })),
  )
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  issuer.state.answer = {
    status: 307,
    headers: { location: `${elsewhere.origin}/jwks.json` },
    body: '',
  }
  expect((await host.bearer(await tokenOf())).status).toBe(503)
  expect(elsewhere.connections).toBe(0)
})

test('an empty key set withdraws every key', async () => {
  await using issuer = await servesKeys([r1])
  await using host = createJwtHost(issuer.url)
  await host.bearer(await tokenOf())
  issuer.publish([])
  await host.clock.advance(600_000)
  expect((await host.bearer(await tokenOf(late(600)))).status).toBe(401)
})

test('only public signing keys of a key set are used, and a broken key does not affect the others', async () => {
  const secret = { kty: 'oct', kid: 'h1', alg: 'HS256', k: 'A'.repeat(43) }
  const leaked = {
    ...(await crypto.subtle.exportKey('jwk', r2.pair.privateKey)),
    kid: 'r2',
    alg: 'RS256',
  }
  const broken = { kty: 'RSA', kid: 'broken', alg: 'RS256', n: '!', e: 'AQAB' }
  const small = { kty: 'RSA', kid: 'small', alg: 'RS256', n: 'w'.repeat(86), e: 'AQAB' }
  const sealing = { ...e1.jwk, use: 'enc' }
  await using issuer = await servesKeys()
  issuer.state.answer = {
    body: JSON.stringify({
      keys: [null, 1, 'x', [], {}, secret, leaked, broken, small, sealing, r1.jwk],
    }),
  }
  await using host = createJwtHost(issuer.url)
  expect((await host.bearer(await tokenOf())).status).toBe(200)
  expect((await host.bearer(await tokenOf({}, {}, r2))).status).toBe(401)
  expect((await host.bearer(await tokenOf({}, {}, e1))).status).toBe(401)
  for (const kid of ['h1', 'broken', 'small'])
    expect((await host.bearer(await tokenOf({}, { kid }))).status).toBe(401)
})

test('every wait ends if the clock is set back', async () => {
  await using issuer = await servesKeys([r1])
  const shift = { by: 0 }
  await using host = createJwtHost(issuer.url)
  const now = host.clock.now
  host.clock.now = () => now() - shift.by
  await host.bearer(await tokenOf())
  shift.by = 86_400_000
  await host.bearer(await tokenOf(late(-86_400)))
  expect(issuer.state.asked).toBe(2)
})
