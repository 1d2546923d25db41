import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { readToken } from '../../../adapters/jose/read-token.ts'
import { toBase64Url, fromBase64Url } from '../../../src/kernel/bytes.ts'
import cases from '../../fixtures/auth-cases.json' with { type: 'json' }
import { failingCases } from '../../support/failing-cases.ts'
import { serveHttp } from '../../support/loopback.ts'
import { GOOD, JWT_CASES } from './jwt-cases.ts'
import { KEYS, createJwtHost, servesKeys, tokenOf } from './setup.ts'

const UNAUTHORIZED = JSON.stringify({
  success: false,
  error: { code: 'UNAUTHORIZED', message: 'A valid credential is required' },
})
const issuer = await servesKeys()
const strict = createJwtHost(issuer.url, { types: ['at+jwt'] })
afterAll(async () => {
  await strict[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

test('every case of the fixture has a token, and every token a case', () => {
  expect(Object.keys(JWT_CASES).toSorted()).toEqual(Object.keys(cases.jwt).toSorted())
  expect(Object.keys(cases.jwt).length).toBeGreaterThan(120)
})

test('every token of the fixture has its status', async () => {
  const nameOf = ([name, status]: [string, number]) => `${name}: ${status}`
  const failing = await failingCases(Object.entries(cases.jwt), nameOf, async ([name, status]) => {
    const token = await JWT_CASES[name]?.()
    expect(token).toBeTypeOf('string')
    const answer = await strict.bearer(token ?? '')
    expect(answer.status).toBe(status)
    if (status === 401)
      expect([answer.body, answer.headers.get('www-authenticate')]).toEqual([
        UNAUTHORIZED,
        'Bearer',
      ])
  })
  expect(failing).toEqual([])
})

test('no token makes the platform send a request to anyone but the issuer', () => {
  expect(new Set(strict.sent)).toEqual(new Set([issuer.url.href]))
  // One request at the start, and one for all the made-up key ids, as the clock stood still.
  expect(issuer.state.asked).toBeLessThanOrEqual(2)
})

test('neither a token nor one of its claims is logged', async () => {
  expect(strict.logged.some(({ message }) => message === 'A token was refused')).toBe(true)
  const text = JSON.stringify(strict.logged)
  for (const secret of [GOOD.body, GOOD.signature, 'user-1', 'attacker.example'])
    expect(text).not.toContain(secret)
})

test('a token that names a server of an attacker causes no connection to it', async () => {
  await using attacker = await serveHttp((_, response) =>
    response.end(JSON.stringify({ keys: [KEYS.foreign.jwk] })),
  )
  await using own = await servesKeys()
  await using host = createJwtHost(own.url)
  await host.bearer(await tokenOf())
  for (const name of ['jku', 'x5u']) {
    for (const kid of ['r1', 'attacker', undefined]) {
      expect(
        (
          await host.bearer(
            await tokenOf({}, { [name]: `${attacker.origin}/jwks.json`, kid }, KEYS.foreign),
          )
        ).status,
      ).toBe(401)
    }
    expect(
      (await host.bearer(await tokenOf({}, { [name]: `${attacker.origin}/jwks.json` }))).status,
    ).toBe(200)
  }
  expect(attacker.connections).toBe(0)
  expect(new Set(host.sent)).toEqual(new Set([own.url.href]))
})

test('a token with one flipped bit in its text is refused, whichever bit it is', async () => {
  const place = fc.record({ index: fc.nat(GOOD.token.length - 1), bit: fc.nat(6) })
  await fc.assert(
    fc.asyncProperty(place, async ({ index, bit }) => {
      const flipped = String.fromCharCode(GOOD.token.charCodeAt(index) ^ (1 << bit))
      fc.pre(/[\x20-\x7e]/.test(flipped))
      const token = GOOD.token.slice(0, index) + flipped + GOOD.token.slice(index + 1)
      fc.pre(token.trimEnd() !== GOOD.token)
      expect((await strict.bearer(token)).status).toBe(401)
    }),
    { numRuns: 400 },
  )
})

test('a token with one flipped bit in its bytes, which is encoded correctly, is refused', async () => {
  const parts = [GOOD.head, GOOD.body, GOOD.signature].map(
    (part) => fromBase64Url(part) ?? new Uint8Array(0),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(7), async (which, position, bit) => {
      const bent = parts.map((part) => Uint8Array.from(part))
      const part = bent[which] ?? new Uint8Array(1)
      const index = position % part.length
      part[index] = (part[index] ?? 0) ^ (1 << bit)
      expect((await strict.bearer(bent.map(toBase64Url).join('.'))).status).toBe(401)
    }),
    { numRuns: 300 },
  )
})

test('only one of all texts that decode to the same bytes is accepted', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 })
  const junk = fc.constantFrom(
    '=',
    '==',
    ' ',
    '\n',
    '\t',
    '\r',
    '\0',
    '+',
    '/',
    '%3D',
    '\u00a0',
    '\ufeff',
    'é',
  )
  fc.assert(
    fc.property(bytes, junk, fc.nat(), (signature, extra, position) => {
      const text = `${GOOD.head}.${GOOD.body}.${toBase64Url(signature)}`
      expect(readToken(text)?.text).toBe(text)
      const index = position % (text.length + 1)
      expect(readToken(text.slice(0, index) + extra + text.slice(index))).toBeNull()
      const spelled = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
        (last) => text.slice(0, -1) + last,
      )
      const read = spelled.filter((one) => readToken(one) !== null)
      // Each accepted text stands for different bytes.
      expect(new Set(read.map((one) => String(fromBase64Url(one.split('.')[2] ?? '')))).size).toBe(
        read.length,
      )
    }),
    { numRuns: 300 },
  )
})

test.for([
  ` ${GOOD.token}`,
  `${GOOD.token} `,
  `${GOOD.token}\n`,
  `${GOOD.token}\t`,
  `${GOOD.token}.`,
  `.${GOOD.token}`,
  `${GOOD.token}.${GOOD.signature}`,
])('a text with white space around the token, or with one more part, is refused: %#', (text) => {
  expect(readToken(text)).toBeNull()
})
