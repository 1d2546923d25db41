import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cookieDate } from '../../../src/engine/egress/cookie-date.ts'
import { CookieJar, setCookieLines } from '../../../src/engine/egress/cookie-jar.ts'

const NOW = Date.UTC(2026, 0, 5)

/** The header of a request to `to`, after an answer from `from` with these lines. */
function sent(lines: readonly string[], to: string, from = 'https://shop.a.com/in/door'): string {
  const jar = new CookieJar()
  for (const line of lines) jar.store(line, new URL(from), NOW)
  return jar
    .cookiesFor(new URL(to), NOW)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}

describe('a jar', () => {
  test.each([
    ['a cookie of the host', ['s=1'], 'https://shop.a.com/in/', 's=1'],
    ['not of another host', ['s=1; path=/'], 'https://a.com/', ''],
    ['not of a host below it', ['s=1; path=/'], 'https://x.shop.a.com/', ''],
    ['one of the domain', ['s=1; path=/; domain=.A.com'], 'https://x.a.com/', 's=1'],
    ['not of another domain', ['s=1; path=/; domain=b.com'], 'https://b.com/', ''],
    ['not of all that ends so', ['s=1; path=/; domain=a.com'], 'https://xa.com/', ''],
    ['not of a whole top level', ['s=1; path=/; domain=com'], 'https://b.com/', ''],
    ['the folder of the answer', ['s=1'], 'https://shop.a.com/', ''],
    ['what is below the path', ['s=1; path=/in'], 'https://shop.a.com/in/x', 's=1'],
    ['not what begins like it', ['s=1; path=/in'], 'https://shop.a.com/inn', ''],
    [
      'the longest path first',
      ['a=1; path=/', 'b=2; path=/in'],
      'https://shop.a.com/in',
      'b=2; a=1',
    ],
    ['the last value', ['s=1', 't=3', 's=2'], 'https://shop.a.com/in/', 's=2; t=3'],
    ['a secure one over https alone', ['s=1; secure'], 'http://shop.a.com/in/', ''],
    ['until it is over', ['s=1; max-age=60', 't=1; max-age=0'], 'https://shop.a.com/in/', 's=1'],
    ['until its day', ['s=1; expires=Sun, 04 Jan 2026 00:00:00 GMT'], 'https://shop.a.com/in/', ''],
    ['no name, no cookie', ['=1', 'x', ''], 'https://shop.a.com/in/', ''],
    ['no line break', ['s=1\n2'], 'https://shop.a.com/in/', ''],
  ] as const)('keeps %s', (_, lines, to, expected) => expect(sent(lines, to)).toBe(expected))

  test('an IP address as host shares no cookies with other hosts', () => {
    const from = 'http://192.0.2.1/'
    expect(sent(['s=1; domain=0.2.1'], 'http://9.0.2.1/', from)).toBe('')
    expect(sent(['s=1'], from, from)).toBe('s=1')
  })

  test('the size of a jar is bounded', () => {
    const many = Array.from({ length: 200 }, (_, index) => `c${index}=${'x'.repeat(1_000)}`)
    expect(sent(many, 'https://shop.a.com/in/').length).toBeLessThanOrEqual(16_384)
    expect(sent([`s=${'x'.repeat(5_000)}`], 'https://shop.a.com/in/')).toBe('')
  })

  test('the reading of an answer is bounded', () => {
    expect(setCookieLines('a=1,'.repeat(5_000))).toHaveLength(1_000)
    const parts = '; x'.repeat(98)
    const to = 'https://shop.a.com/'
    expect(sent([`s=1${parts}; path=/`, `t=1; x${parts}; path=/`], to)).toBe('s=1')
  })

  test('no line throws an error', () => {
    const part = fc.constantFrom(
      ';',
      '=',
      ',',
      'a',
      ' ',
      'domain=',
      'path=/',
      'expires=',
      '1',
      '\0',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        for (const line of setCookieLines(parts.join(''))) sent([line], 'https://a.com/')
      }),
    )
  })
})

test('lines that were joined by commas are separated, and the commas of dates do not count', () => {
  expect(setCookieLines('a=1; expires=Mon, 05 Jan 2026 00:00:00 GMT, b=2; path=/,c=3')).toEqual([
    'a=1; expires=Mon, 05 Jan 2026 00:00:00 GMT',
    'b=2; path=/',
    'c=3',
  ])
})

test.each([
  ['Mon, 05 Jan 2026 14:30:15 GMT', '2026-01-05T14:30:15.000Z'],
  ['5-January-26 4:3:2', '2026-01-05T04:03:02.000Z'],
  ['Jan 14:30:15 5 1995', '1995-01-05T14:30:15.000Z'],
  ['5 Jan 69 00:00:00', '2069-01-05T00:00:00.000Z'],
  ['31 Feb 2026 00:00:00', null],
  ['5 Jan 1600 00:00:00', null],
  ['5 Jan 2026', null],
  ['5 Jan 2026 24:00:00', null],
  ['', null],
])('the date of a cookie: %s', (text, expected) => {
  const date = cookieDate(text)
  expect(date === null ? null : new Date(date).toISOString()).toBe(expected)
})
