import { expect } from 'vitest'
import { CookieJar, setCookieLines } from '../../src/engine/egress/cookie-jar.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { decodeBody } from '../../src/engine/extract/page/charset.ts'
import { contentKind } from '../../src/engine/extract/page/content-type.ts'
import { flatStateParts } from '../../src/engine/extract/page/flat-state.ts'
import { atOnce } from '../../src/engine/extract/page/in-turns.ts'
import { parsePageJson } from '../../src/engine/extract/page/parse-json.ts'
import { readScriptLiteral } from '../../src/engine/extract/page/script-literal.ts'
import { parseSelector, SelectorError } from '../../src/engine/extract/select/parse-selector.ts'
import { currencyIn, priceIn, stockTerm } from '../../src/engine/extract/product/product-terms.ts'
import { parseDate } from '../../src/engine/extract/value/parse-date.ts'
import { parseNumber } from '../../src/engine/extract/value/parse-number.ts'
import { compileJsonPath, matchesIn } from '../../src/engine/extract/value/json-path.ts'
import { parseXPath } from '../../src/engine/extract/xpath/checked-xpath.ts'
import { readDataUrl } from '../../src/engine/media/data-url.ts'
import { parseRobots } from '../../src/engine/site/robots-rules.ts'
import { jsonFeedUrls, SitemapParser } from '../../src/engine/site/sitemap-parser.ts'

const NOW = Date.parse('2026-05-20T12:00:00Z')
const SITE = new URL('https://a.example/x/')
const LANGUAGES = ['en', 'de', 'ru', 'ar', 'ja', 'hi', 'x-unknown', '']

/** The largest number to choose by. */
export const MOST_PICK = 100

/** A parser of texts, which reads any of them. */
export interface Parser {
  readonly name: string
  /** Texts that it reads without damage. */
  readonly samples: readonly string[]
  /** Letters that texts of any length are made of: they come near to what it reads. */
  readonly letters?: string
  /** True if recipes have its texts, which are 1,000 characters at most. */
  readonly isShort?: true
  /** True if a text may be many short lines, each of which is a rule, an address or a cookie. */
  readonly isOfLines?: true
  /** Reads a text, and expects what holds of any. `pick`: a number to choose by. */
  readonly read: (text: string, pick: number) => void | Promise<void>
}

/** Reads a text that a person writes. It may be refused by an error of this kind, and no other. */
function orRefused(kind: typeof SyntaxError | typeof SelectorError, read: () => void): void {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(kind)
  }
}

const languageOf = (pick: number): string => LANGUAGES[pick % LANGUAGES.length] ?? ''

/** The parsers of short texts, each by itself. */
export const PARSERS: readonly Parser[] = [
  {
    name: 'numbers',
    samples: [
      '$1,299.00',
      '1.234,5 €',
      '(5) Mio.',
      '1億2000万',
      '12 lakh',
      '3½',
      '-US$4e3',
      '9e308 million',
    ],
    letters: '0123456789.,- ()$€e\u00a0',
    read: (text, pick) => {
      const value = parseNumber(text, { language: languageOf(pick) })
      expect(value === null || Number.isFinite(value)).toBe(true)
    },
  },
  {
    name: 'dates',
    samples: ['4. März 2026 14:30', 'Wed, 04 Mar 2026 05:06:07 GMT', '2026年3月4日', 'vor 3 Tagen'],
    letters: '0123456789-/.: TJanMay,',
    read: (text, pick) => {
      const value = parseDate(text, { language: languageOf(pick), now: NOW })
      expect(value === null || !Number.isNaN(Date.parse(value.slice(0, 10)))).toBe(true)
    },
  },
  {
    name: 'prices, currencies and stock',
    samples: ['EUR 12,50', 'Rs. 1,25,000', 'https://schema.org/InStock', 'ab 3 kr.'],
    read: (text) => {
      const price = priceIn(text, currencyIn(text))
      expect(price === null || Number.isFinite(price)).toBe(true)
      expect(typeof (stockTerm(text) ?? '')).toBe('string')
    },
  },
  {
    name: 'JSONPath',
    isShort: true,
    samples: [
      '$..a[?@.b > 1 && !@.c].d',
      "$['a','b'][1:5:-2]",
      '$[?length(@.a) == 2 || @ == null]',
    ],
    read: (text) =>
      orRefused(SyntaxError, () => {
        const path = compileJsonPath(text)
        const values = matchesIn([{ a: [{ b: 2, c: null }, 'x'], b: {} }], path, new PageBudget())
        expect(JSON.parse(JSON.stringify(values))).toEqual(values)
      }),
  },
  {
    name: 'XPath',
    isShort: true,
    samples: ['//a[@href and position() < 3]/text()', "concat('a', count(//b | //c) * -2 div 3)"],
    read: (text) => orRefused(SyntaxError, () => expect(parseXPath(text)).toBeTypeOf('object')),
  },
  {
    name: 'selectors',
    isShort: true,
    samples: ['ul > li:not(.a, b ~ c):nth-child(2n + 1 of .x)', '[a|="b" i]::attr(href)', ':is(a)'],
    read: (text) =>
      orRefused(SelectorError, () => expect(parseSelector(text)).toBeTypeOf('object')),
  },
  {
    name: 'robots.txt',
    isOfLines: true,
    samples: [
      'User-agent: Seine\nDisallow: /a*b$\nCrawl-delay: 2\nSitemap: /s.xml\n',
      'User-agent: *\nAllow: /%7e\nDisallow: /',
    ],
    read: async (text) => {
      const { allows, crawlDelayMs, sitemaps } = parseRobots(text, 'Seine', SITE.href)
      expect(await allows('/a/b?c')).toBeTypeOf('boolean')
      expect(crawlDelayMs === null || crawlDelayMs >= 0).toBe(true)
      expect(sitemaps.every((url) => URL.canParse(url))).toBe(true)
    },
  },
  {
    name: 'sitemaps and feeds',
    isOfLines: true,
    samples: [
      '<?xml version="1.0"?><urlset><url><loc>https://a.example/1?a=1&amp;b</loc></url></urlset>',
      '<!DOCTYPE a [<!ENTITY b "c">]><rss><channel><item><guid>&b;/1</guid></item></channel></rss>',
      'https://a.example/1\nhttps://a.example/2',
    ],
    read: (text, pick) => {
      const sitemap = new SitemapParser(SITE.href)
      const cut = Math.floor((pick / MOST_PICK) * text.length)
      sitemap.write(text.slice(0, cut))
      sitemap.write(text.slice(cut))
      const urls = [...sitemap.take(), ...[...sitemap.end()].flat(), ...sitemap.children]
      // One expectation: one for each address would cost more than the parser.
      expect(urls.every((url) => /^https?:/.test(url))).toBe(true)
    },
  },
  {
    name: 'JSON of pages and feeds',
    samples: ['{"items":[{"url":"https://a.example/1","n":-1.5e3}]}', "{a: 'b', /* c */ d: [1,],}"],
    read: (text) => {
      const value = parsePageJson(text, new PageBudget())
      expect(JSON.stringify(value ?? null)).toBeTypeOf('string')
      expect(jsonFeedUrls(text).every((url) => url !== '')).toBe(true)
    },
  },
  {
    name: 'data of scripts',
    samples: [
      `{a:'b',"c":[!0,void 0,.5e3,-1,,],d:\`e\`,f:new Date(0)} // g`,
      `(function(a,b){a.c=[b];a.d={e:"f"};return {g:a,h:b}}({},JSON.parse('{"i":1}')))`,
      '{a:`b${c}d`,e:/[/"]f/g,g:`${`h`}`,i:1,j:[2,3,4,5]}',
      '((a)=>({b:a,c:[a,a]}))("d\\u00e9\\x21")',
    ],
    read: (text) => {
      const value = readScriptLiteral(text, 0, new PageBudget()) ?? null
      expect(JSON.parse(JSON.stringify(value))).toEqual(value)
    },
  },
  {
    name: 'flat state',
    samples: ['[{"a":1},["Reactive",2],[3,3,-1],["Date","2026"],"x"]'],
    read: (text) => {
      const value = atOnce(
        flatStateParts(parsePageJson(text, new PageBudget()) ?? null, new PageBudget()),
      )
      expect(JSON.parse(JSON.stringify(value ?? null))).toEqual(value ?? null)
    },
  },
  {
    name: 'labels of content and charset',
    samples: ['text/html; charset="windows-1252"', 'application/ld+json;charset=utf-16', 'a/b'],
    read: (text) => {
      const body = new TextEncoder().encode(`<meta charset=${text}>${text}`)
      expect(contentKind(text, body)).toBeTypeOf('string')
      expect(decodeBody(body, text, 'html')).toBeTypeOf('object')
    },
  },
  {
    name: 'data URLs',
    samples: ['data:image/png;base64,iVBORw0KGgo=', 'data:,a%20b', 'data:text/html;charset=x,%zz'],
    read: (text) => {
      const { body } = readDataUrl(text) ?? { body: new Uint8Array() }
      expect(body.length).toBeLessThanOrEqual(4 * text.length)
    },
  },
  {
    name: 'cookies',
    isOfLines: true,
    samples: [
      'a=b; Path=/x; Expires=Wed, 04 Mar 2027 05:06:07 GMT, c=d; Max-Age=-1; Domain=.a.example',
    ],
    read: (text) => {
      const jar = new CookieJar()
      for (const line of setCookieLines(text)) jar.store(line, SITE, NOW)
      for (const cookie of jar.cookiesFor(SITE, NOW))
        expect(cookie.join('=')).not.toMatch(/[;\r\n]/)
    },
  },
]
