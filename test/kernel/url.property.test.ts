import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  authorityOf,
  normaliseParsed,
  normaliseUrl,
  originOf,
  pathOf,
  urlIdentity,
} from '../../src/kernel/url.ts'
import { anyUrl } from '../support/any-text.ts'
import { normalUrl } from '../support/normal-url.ts'

describe('normaliseUrl', () => {
  test.each([
    ['HTTP://Shop.Example:80/a/../b#top', undefined, 'http://shop.example/b'],
    ['//cdn.example/x', 'https://a.example/', 'https://cdn.example/x'],
    ['?page=2', 'https://a.example/list?page=1', 'https://a.example/list?page=2'],
    ['https://a.example./x', undefined, 'https://a.example/x'],
    ['https://münchen.example/', undefined, 'https://xn--mnchen-3ya.example/'],
    ['/x y', 'https://a.example', 'https://a.example/x%20y'],
  ])('%s below %s', (href, base, expected) => expect(normaliseUrl(href, base)).toBe(expected))

  test.each([
    'mailto:a@b.example',
    'javascript:alert(1)',
    'ftp://a.example/',
    'https://user:pass@a.example/',
    'https://user@a.example/',
    '/relative',
    'http://',
    'http://[',
    '',
    `https://a.example/${'x'.repeat(2_048)}`,
    `https://a.example/${'é'.repeat(500)}`,
  ])('%s is no URL', (href) => expect(normaliseUrl(href)).toBeNull())
})

test('an absolute URL is what a URL parser makes of it, however plain it looks', () => {
  const host = fc.constantFrom(
    'a.example',
    'A.example',
    'a.example.',
    'a..example',
    '-a.b-.example',
    'a.example:80',
    'a.1',
    'a.0x1',
    '1.2.3.4',
    'xn--a.example',
    'xn--mnchen-3ya.example',
    'a.xn--p1ai',
    'a_b.example',
    'localhost',
    'u@a.example',
    'é.example',
  )
  const part = fc.constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2E',
    '%',
    '%C3%A9',
    'a',
    'B',
    '?',
    '#',
    '&',
    "'",
    '"',
    '\\',
    '|',
    '^',
    ' ',
    '\t',
    '\n',
    'é',
    '{',
    '@',
    ':',
    ';',
    '//',
    '/./',
    'xn--',
  )
  fc.assert(
    fc.property(
      fc.constantFrom('http', 'https', 'HTTP'),
      host,
      fc.array(part),
      (scheme, name, parts) => {
        for (const start of ['', '/']) {
          const href = `${scheme}://${name}${start}${parts.join('')}`
          const url = URL.parse(href)
          expect(normaliseUrl(href)).toBe(url && normaliseParsed(url))
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('origin, host and path of a normal URL equal those of a URL parser', () => {
  fc.assert(
    fc.property(anyUrl, (href) => {
      const url = normaliseUrl(href)
      if (url === null) return
      const { origin, host, pathname, search } = new URL(url)
      expect([originOf(url), authorityOf(url), pathOf(url)]).toEqual([
        origin,
        host,
        pathname + search,
      ])
    }),
  )
  for (const [href, path] of [
    ['https://a.example/p?', '/p'],
    ['https://a.example/p??', '/p??'],
    ['https://a.example/?q=a?', '/?q=a?'],
  ] as const)
    expect(pathOf(normalUrl(href))).toBe(path)
  for (const href of ['https://[::1]:8443/x', 'HTTP://A.example:80', 'https://a.example?q=//b/'])
    expect(authorityOf(normaliseUrl(href) ?? '')).toBe(new URL(href).host)
})

describe('urlIdentity', () => {
  test.each([
    ['https://a.example/p?utm_source=x&id=1&UTM_Medium=y&gclid=z', 'https://a.example/p?id=1'],
    ['https://a.example/p?', 'https://a.example/p'],
    ['https://a.example/p?fbclid=1', 'https://a.example/p'],
    ['https://a.example/%7euser/%c3%a9', 'https://a.example/~user/%C3%A9'],
    ['https://a.example/p?b=2&&a=1', 'https://a.example/p?b=2&a=1'],
    ['https://a.example/p#x', 'https://a.example/p'],
    ['https://a.example/90%+of|it?q=^`{x}\\', 'https://a.example/90%25+of%7Cit?q=%5E%60%7Bx%7D%5C'],
    ['https://a.example/?q=%zz%%41', 'https://a.example/?q=%25zz%25A'],
    ['https://a.example/%2e%2e/x', 'https://a.example/x'],
  ])('%s is %s', (url, expected) => expect(urlIdentity(url)).toBe(expected))

  test('differs for URLs that servers may answer differently', () => {
    const urls = [
      'https://a.example/p',
      'https://a.example/p/',
      'https://a.example/p?a=1&b=2',
      'https://a.example/p?b=2&a=1',
      'http://a.example/p',
      'https://www.a.example/p',
      'https://a.example/P',
      'https://a.example/p?utmost=1',
      'https://a.example/a%2Fb',
      'https://a.example/a/b',
    ]
    expect(new Set(urls.map(urlIdentity)).size).toBe(urls.length)
  })

  test('of an identity is the identity itself', () => {
    const part = fc.oneof(
      anyUrl,
      fc.string().map((text) => `https://a.example/${text}`),
      fc.string(),
    )
    fc.assert(
      fc.property(part, (url) => {
        expect(urlIdentity(urlIdentity(url))).toBe(urlIdentity(url))
      }),
      { numRuns: 5_000 },
    )
  })

  test('is a URL that leads to the same page', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const identity = urlIdentity(url)
        const decoded = (text: string) => decodeURIComponent(new URL(text).pathname)
        expect(decoded(identity)).toBe(decoded(url))
      }),
    )
  })
})
