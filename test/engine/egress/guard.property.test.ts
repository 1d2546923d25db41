import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf, checkAddress, checkUrl, refusalOf } from '../../../src/engine/egress/guard.ts'
import { refusalOfNormal } from '../../../src/engine/egress/normal-refusal.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import { anyUrl } from '../../support/any-text.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { DENIED_V4, isWithin } from '../../support/fakes/ip-ranges.ts'

const reasonOf = (run: () => unknown) => {
  try {
    run()
    return null
  } catch (error) {
    return error instanceof EgressError ? error.reason : error
  }
}

test('a URL is refused by its text alone, without a look-up', async () => {
  const cases = [
    ['ftp://example.com/', 'invalid_url'],
    ['http://u:p@example.com/', 'invalid_url'],
    ['http://u@example.com/', 'invalid_url'],
    ['http://:p@example.com/', 'invalid_url'],
    ['http://a..com/', 'invalid_url'],
    ['http://a,b.com/', 'invalid_url'],
    ['nonsense', 'invalid_url'],
    [`http://example.com/${'a'.repeat(20_000)}`, 'invalid_url'],
    [`http://${'a'.repeat(64)}.com/`, 'invalid_url'],
    [`http://${'a.'.repeat(127)}com/`, 'invalid_url'],
    ['http://example.com:22/', 'refused'],
    ['http://intranet/', 'refused'],
    ['http://a.local/', 'refused'],
    ['http://a.onion/', 'refused'],
    ['http://LOCALHOST./', 'refused'],
    ['http://box.home.arpa/', 'refused'],
    ['http://127.1/', 'refused'],
    ['http://[::1]/', 'refused'],
    ['http://example.com:8080/', null],
    ['https://a_b.example.com/', null],
    ['https://-a-.example.com/', null],
    ['http://localhost.example.com/', null],
    ['http://bücher.de/', null],
    ['http://8.8.8.8./', null],
  ] as const
  const failing = await failingCases(cases, JSON.stringify, ([url, reason]) => {
    expect(reasonOf(() => checkUrl(url))).toBe(reason)
    expect(refusalOf(url) === null).toBe(reason === null)
  })
  expect(failing).toEqual([])
})

test('a URL that was parsed before has the same verdict as its text', () => {
  const host = fc.oneof(
    fc.constantFrom(
      '8.8.8.8',
      '10.1.2.3',
      '[::1]',
      '[2606:4700::1]',
      'shop.example.com',
      'a.local',
    ),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.domain(),
  )
  const port = fc.oneof(
    fc.constantFrom('', ':80', ':443', ':22', ':8080'),
    fc.nat(65_535).map((n) => `:${n}`),
  )
  const urls = fc.oneof(
    anyUrl,
    fc
      .tuple(fc.constantFrom('http', 'https'), host, port, fc.constantFrom('', '/', '/a?b=c:1//d'))
      .map(([scheme, name, user, path]) => `${scheme}://${name}${user}${path}`),
  )
  fc.assert(
    fc.property(urls, fc.boolean(), (text, allowPrivateNetwork) => {
      const url = normaliseUrl(text)
      if (url === null) return
      for (const options of [{ allowPrivateNetwork }, { trustedOrigin: new URL(url).origin }])
        expect([url, refusalOfNormal(url, options)]).toEqual([url, refusalOf(url, options)])
    }),
    { numRuns: 3_000 },
  )
  for (const address of ['http://[::1]/', 'https://shop.example.com:22/', 'http://a.local:8080/']) {
    const url = normaliseUrl(address)
    expect(url && refusalOfNormal(url)).toMatch(/not/)
  }
})

test('a checked URL is returned parsed', () => {
  expect(checkUrl('HTTP://EXAMPLE.com:80/a b').href).toBe('http://example.com/a%20b')
})

test('the error does not name the refused address', () => {
  expect(() => checkAddress('10.1.2.3')).toThrow(EgressError)
  expect(() => checkAddress('10.1.2.3')).not.toThrow(/10\.1/)
  expect(() => checkAddress('8.8.8.8')).not.toThrow()
})

test('every spelling of an IPv4 address has the same verdict', () => {
  const spelling = fc.record({
    at: fc.bigInt(0n, 0xffff_ffffn),
    parts: fc.integer({ min: 1, max: 4 }),
    radix: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom('', '.'),
    upper: fc.boolean(),
  })
  const numeral = (value: bigint, radix: number | undefined) =>
    radix === 16
      ? `0x${value.toString(16)}`
      : radix === 8
        ? `0${value.toString(8)}`
        : value.toString()
  fc.assert(
    fc.property(spelling, ({ at, parts, radix, dot, upper }) => {
      const octets = [24n, 16n, 8n].slice(0, parts - 1).map((shift) => (at >> shift) & 255n)
      const host =
        [...octets, at & ((1n << BigInt(8 * (5 - parts))) - 1n)]
          .map((value, i) => numeral(value, radix[i]))
          .join('.') + dot
      const url = `http://${upper ? host.toUpperCase() : host}/`
      expect([url, refusalOf(url) === null]).toEqual([url, !isWithin(DENIED_V4, at)])
      expect(addressOf(new URL(url))).not.toBeNull()
    }),
    { numRuns: 3_000 },
  )
})

test('no text throws any other error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        anyUrl,
        fc.string().map((host) => `http://${host}/`),
      ),
      (url) => {
        expect(['invalid_url', 'refused', null]).toContain(reasonOf(() => checkUrl(url)))
      },
    ),
    { numRuns: 3_000 },
  )
})
