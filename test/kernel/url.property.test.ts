import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  authorityOf,
  cutUrl,
  normaliseParsed,
  normaliseUrl,
  originOf,
  partsOf,
  pathOf,
  unparsed,
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
  ])('text %# is no URL', (href) => expect(normaliseUrl(href), href).toBeNull())
})

test('an absolute URL is what a URL parser makes of it, however plain it looks', () => {
  const host = fc.constantFrom(
    'a.example',
    'A.example',
    'a.example.',
    'a..example',
    '-a.b-.example',
    'a.example:80',
    'a.example:8080',
    'a.example:08080',
    'a.example:59999',
    'a.example:65536',
    'a.example:',
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

test('a link is what a URL parser makes of it below the address of its page', () => {
  const base = fc.constantFrom(
    'https://a.example/list/page.html?x=/y#/z',
    'https://a.example/list/',
    'http://a.example:8080/list',
    'https://a.example',
    'https://a.example?q=/x',
    'https://a.example#/x',
    'https://A.example/list/x',
    'https://a.example./list/x',
    'https://a.example/list/../x/y',
    'https://a.example/list/x/..',
    'https://a.example/list/x/%2E.?y',
    'https://a.example/list/x/.\t.',
    'https://a.example/list/x\\y',
    'https://a.example/a b/c',
    'https://u@a.example/x',
    'http://[::1]/x/y',
    'https://127.1/x/y',
    ' https://a.example/x/y',
    'https:a.example/x/y',
    'mailto:a@b.example',
    'data:text/plain,//a.example/x',
  )
  const part = fc.constantFrom(
    ...'/ // . .. %2e ? # a b.example B : http: https:// a: \t \\ @ é % [ | c.html & = ; 8080'.split(
      ' ',
    ),
    ' ',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), base, (parts, page) => {
      const href = parts.join('')
      const url = URL.parse(href, page)
      expect(normaliseUrl(href, page)).toBe(url && normaliseParsed(url))
    }),
    { numRuns: 4_000 },
  )
})

test('links of the usual form need no parser', () => {
  const page = 'https://shop.example:8443/list/pens?page=1'
  const links = ['/p/1', '?page=2', 'blue.html', '/p/2#top', `${page}#more`]
  expect(links.map((link) => unparsed(link, page))).toEqual([
    'https://shop.example:8443/p/1',
    'https://shop.example:8443/list/pens?page=2',
    'https://shop.example:8443/list/blue.html',
    'https://shop.example:8443/p/2',
    page,
  ])
  expect(
    ['../up', '/a b', 'mailto:a@b.example', '#top', '//a.example/'].map((link) =>
      unparsed(link, page),
    ),
  ).toEqual([null, null, null, null, null])
})

test('the parts of a URL are those of a URL parser, in whatever form it is', () => {
  const NAMES = ['protocol', 'hostname', 'port', 'host', 'origin', 'pathname'] as const
  const namesOf = (parts: ReturnType<typeof partsOf>) => parts && NAMES.map((name) => parts[name])
  const text = fc.oneof(
    anyUrl,
    fc.constantFrom('nonsense', 'HTTP://A.example:80/x', 'https://a.example./', 'mailto:a@b'),
    fc.constantFrom('http://[::1]:8443/x?y', 'http://127.1/', 'https://a.example:8443/?x=/y'),
  )
  fc.assert(
    fc.property(text, (url) => {
      expect(namesOf(partsOf(url))).toEqual(namesOf(URL.parse(url)))
      const normal = normaliseUrl(url)
      if (normal !== null) expect(namesOf(cutUrl(normal))).toEqual(namesOf(new URL(normal)))
    }),
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
