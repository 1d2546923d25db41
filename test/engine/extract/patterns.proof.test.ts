import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { cpuMs } from '../../support/cpu-ms.ts'
import { failingCases } from '../../support/failing-cases.ts'

interface Attack {
  readonly id: string
  readonly pattern: string
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
}

const PAGE = 'https://a.example/list'
const START = { label: 'start', depth: 0, hop: 1 }
const HTML = `<h1>Lamp No. 7</h1><p>Call +49 30 123 or mail ann@a.example, ben@b.example.</p><ul><li data-x="a1">Weight: 2 kg</li><li data-x="b2">ISBN 978-3-16</li></ul>
<script>var config = {"price": 12.5, "list": [{"sku": "A"}, {"sku": "B"}]}; var id = "X-99";</script><script id="data" type="application/json">{"props": {"items": [{"name": "One"}, {"name": "Two"}]}}</script><div data-json='{"stock": 3}'>x</div>`
const pageOf = (text: string, contentType = 'text/html') => ({
  url: PAGE,
  contentType,
  body: new TextEncoder().encode(text),
})
const compile = (extract: object) =>
  compileRecipe(parseRecipe({ start: { urls: [PAGE] }, extract }))
const row = (fields: object, page = pageOf(HTML)) =>
  compile({ fields }).process(page, START).rows[0]
const value = (source: object, page = pageOf(HTML)) =>
  row({ v: source, always: { css: 'html', as: 'html' } }, page)?.['v'] ?? null
const refusals = (source: object): { path: string; message: string }[] => {
  try {
    compile({ fields: { v: source } })
    return []
  } catch (error) {
    return (error as { issues: { path: string; message: string }[] }).issues
  }
}

beforeAll(() => loadRegexEngine())

describe('a pattern', () => {
  const FOUND: readonly (readonly [string, object, unknown])[] = [
    ['over the text of the page', { regex: 'No\\. (\\d+)', as: 'integer' }, 7],
    ['without a group is the match', { regex: '\\+[\\d ]+\\d' }, '+49 30 123'],
    [
      'all matches',
      { regex: '[\\w.]+@[\\w.]+\\w', many: true },
      ['ann@a.example', 'ben@b.example'],
    ],
    ['a group by number', { regex: '(\\w+)@(\\w)', group: 2 }, 'a'],
    ['a group by name', { regex: '(?<user>\\w+)@(?<host>[\\w.]+\\w)', group: 'host' }, 'a.example'],
    ['the whole match', { regex: '(\\w+)@a', group: 0 }, 'ann@a'],
    [
      'over what a selector finds: the first that matches',
      { css: 'li', regex: 'ISBN ([\\d-]+)' },
      '978-3-16',
    ],
    [
      'over each of what a selector finds',
      { css: 'li', regex: '\\d+', many: true },
      ['2', '978', '3', '16'],
    ],
    [
      'over an attribute',
      { css: 'li', attr: 'data-x', regex: '[a-z](\\d)', many: true, as: 'number' },
      [1, 2],
    ],
    ['in a script', { css: 'script', regex: 'id = "([^"]+)"' }, 'X-99'],
    ['over an XPath', { xpath: '//li/@data-x', regex: 'b\\d' }, 'b2'],
    ['over the URL', { url: true, regex: '/(\\w+)$' }, 'list'],
    ['without case', { regex: '(?i)lamp NO' }, 'Lamp No'],
    ['that matches nothing', { regex: 'zzz' }, null],
    ['that matches nothing, of many', { regex: 'zzz', many: true }, []],
    ['of an empty group', { regex: 'Lamp(x?)' }, null],
  ]

  it('finds its matches in every place that it may search', async () => {
    const failing = await failingCases(
      FOUND,
      ([name]) => name,
      ([, source, expected]) => expect(value(source)).toEqual(expected),
    )
    expect(failing).toEqual([])
  })

  it('searches items of elements, items of JSON, and text', () => {
    expect(
      compile({ items: 'li', fields: { n: { regex: '\\d+' } } }).process(pageOf(HTML), START).rows,
    ).toEqual([{ n: '2' }, { n: '978' }])
    expect(
      compile({
        items: '$[*]',
        fields: { n: { regex: '\\d+', as: 'number' }, id: { json: '$.id', regex: '-(.*)' } },
      }).process(pageOf('[{"id":"a-7"}]', 'application/json'), START).rows,
    ).toEqual([{ n: 7, id: '7' }])
    expect(
      value({ regex: 'line (\\d)', many: true }, pageOf('line 1\nline 2', 'text/plain')),
    ).toEqual(['1', '2'])
  })

  it.each<[string, object, string, RegExp]>([
    ['a lookahead', { regex: 'a(?=b)' }, 'regex', /lookahead/],
    ['a lookbehind', { regex: '(?<=a)b' }, 'regex', /lookbehind/],
    ['a backreference', { regex: '(a)\\1' }, 'regex', /backreferences/],
    ['a pattern that does not parse', { regex: 'a(' }, 'regex', /is not a pattern/],
    ['an unknown group', { regex: '(a)', group: 2 }, 'regex', /has no group 2/],
    ['an unknown name of a group', { regex: '(a)', group: 'x' }, 'regex', /has no group "x"/],
    [
      'a repetition of a repetition',
      { regex: '(?:(?:a{1,30}){1,30}b){1,30}' },
      'regex',
      /too large|repeat/,
    ],
    [
      'a replacement whose pattern does not parse',
      { css: 'p', transform: [{ replace: { regex: '[', with: '' } }] },
      'transform.0.replace.regex',
      /is not a pattern/,
    ],
  ])('is refused for %s', (_, source, path, message) => {
    expect(refusals(source)).toMatchObject([
      { path: `extract.fields.v.${path}`, message: expect.stringMatching(message) },
    ])
  })

  it('is noticed in a recipe, at every place of the recipe', async () => {
    await expect(
      prepareRecipe({
        start: {},
        extract: {
          fields: { a: { css: 'p', transform: [{ replace: { regex: 'a', with: 'b' } }] } },
        },
      }),
    ).resolves.toBeUndefined()
    await expect(prepareRecipe(null)).resolves.toBeUndefined()
  })
})

describe('patterns that would take years in other engines', () => {
  const attacks: readonly Attack[] = JSON.parse(
    readFileSync(new URL('../../fixtures/redos.json', import.meta.url), 'utf8'),
  )

  const expectFast = ({ pattern, prefix, pump, suffix }: Attack) => {
    const page = pageOf(
      prefix + pump.repeat(Math.ceil(60_000 / pump.length)) + suffix,
      'text/plain',
    )
    if (refusals({ regex: pattern }).length > 0)
      return expect(refusals({ regex: pattern })[0]?.message).toMatch(/not supported/)
    const begin = cpuMs()
    compile({
      fields: {
        first: { regex: pattern },
        all: { regex: pattern, many: true },
        replaced: { regex: '.+', transform: [{ replace: { regex: pattern, with: '-' } }] },
      },
    }).process(page, START)
    expect(cpuMs() - begin).toBeLessThan(6_000)
  }

  it('end soon, or are refused', async () => {
    expect(attacks.length).toBeGreaterThan(15)
    const nameOf = ({ id, pattern }: Attack) => `${id}: ${pattern}`
    expect(await failingCases(attacks, nameOf, expectFast)).toEqual([])
  })

  it('share one allowance for each page, whatever their number and their matches', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `f${index}`,
        { regex: `a.*b${index}|a`, many: true },
      ]),
    )
    const begin = cpuMs()
    compile({ fields }).process(pageOf('a'.repeat(100_000), 'text/plain'), START)
    // A second; it would be thirty if each had an allowance of its own.
    expect(cpuMs() - begin).toBeLessThan(16_000)
  })
})

describe('steps of a field', () => {
  const step = (text: string, transform: unknown[], more: object = {}) =>
    value({ css: 'p', transform, ...more }, pageOf(`<p>${text}</p>`))

  const STEPS: readonly (readonly [string, unknown[], string, unknown])[] = [
    [' a  b ', ['collapse'], '', 'a b'],
    ['A b', ['lower'], '', 'a b'],
    ['ß a', ['upper'], '', 'SS A'],
    ['"Ida Lund" &lt;i@a.example&gt;', ['name'], '', 'Ida Lund'],
    ['i@a.example (Ida Lund)', ['name'], '', 'Ida Lund'],
    ['Ida (the elder)', ['name'], '', 'Ida (the elder)'],
    ['a-b-c', [{ replace: ['-', '+'] }], '', 'a+b+c'],
    ['a$1', [{ replace: ['a', '$&'] }], '', '$&$1'],
    ['2 kg', [{ replace: { regex: '(\\d) (\\w+)', with: '$2 $1' } }], '', 'kg 2'],
    ['a, b,,c', [{ split: ',' }], '', ['a', 'b', 'c']],
    ['a, b', [{ split: ',' }, 'upper', { join: ' | ' }], '', 'A | B'],
    ['a > b > c', [{ split: '>' }, { item: -1 }], '', 'c'],
    ['a', [{ split: ',' }, { item: 3 }], '', null],
    ['abcdef', [{ slice: [1, -1] }], '', 'bcde'],
    ['abc', [{ slice: [1] }], '', 'bc'],
    ['7', [{ prefix: 'No. ' }, { suffix: '!' }], '', 'No. 7!'],
    ['In stock', ['lower', { map: { 'in stock': true, 'sold out': false } }], '', true],
    ['toString', [{ map: { a: 'x' } }], '', 'toString'],
    ['1, 2', [{ split: ',' }], 'number', [1, 2]],
    ['EUR 5', [{ slice: [4] }], 'integer', 5],
    ['/a, /b', [{ split: ',' }], 'url', ['https://a.example/a', 'https://a.example/b']],
    ['', [{ default: 'none' }], '', 'none'],
    ['x', [{ default: 'none' }], '', 'x'],
    ['abc', [{ default: 0 }], 'number', 0],
    ['', [{ prefix: 'x' }], '', null],
    ['&nbsp;', ['trim', { default: false }], '', false],
  ]

  it('change a text one after the other', async () => {
    const failing = await failingCases(STEPS, JSON.stringify, ([text, transform, as, expected]) =>
      expect(step(text, transform, as === '' ? {} : { as })).toEqual(expected),
    )
    expect(failing).toEqual([])
  })

  it('apply to each value with many, and to attributes, facts, constants and JSON', () => {
    expect(value({ css: 'li', many: true, transform: [{ split: ' ' }] })).toEqual([
      'Weight:',
      '2',
      'kg',
      'ISBN',
      '978-3-16',
    ])
    expect(value({ css: 'li', attr: 'data-x', transform: ['upper'] })).toBe('A1')
    expect(value({ page: 'url', transform: [{ split: '/' }, { item: -1 }] })).toBe('list')
    expect(value({ const: ' a ', transform: ['trim'] })).toBe('a')
    expect(
      value({ json: '$.n', transform: [{ prefix: '#' }] }, pageOf('{"n": 5}', 'application/json')),
    ).toBe('#5')
  })

  it('can give a default, which makes no row and does not count as filled', () => {
    const plan = compile({
      items: 'li',
      fields: { name: 'b', stock: { css: 'i', transform: [{ default: 'no' }] } },
    })
    expect(plan.process(pageOf('<li><b>1</b><li>2<li><i>yes</i>'), START)).toMatchObject({
      rows: [
        { name: '1', stock: 'no' },
        { name: null, stock: 'yes' },
      ],
      filled: { name: 1, stock: 1 },
    })
  })

  it.each<[string, object, string]>([
    ['an unknown one', { css: 'p', transform: ['shout'] }, 'extract.fields.v.transform.0'],
    [
      'two in one',
      { css: 'p', transform: [{ prefix: 'a', suffix: 'b' }] },
      'extract.fields.v.transform.0',
    ],
    ['none', { css: 'p', transform: [] }, 'extract.fields.v.transform'],
    [
      'a default of many',
      { css: 'p', many: true, transform: [{ default: 1 }] },
      'extract.fields.v.transform',
    ],
    ['fields', { css: 'p', fields: { a: 'b' }, transform: ['trim'] }, 'extract.fields.v'],
    ['a group without a pattern', { css: 'p', group: 1 }, 'extract.fields.v'],
    ['steps without a source', { transform: ['trim'] }, 'extract.fields.v'],
    [
      'a replacement without its new text',
      { css: 'p', transform: [{ replace: ['a'] }] },
      'extract.fields.v.transform.0.replace',
    ],
  ])('are refused: %s', (_, source, path) =>
    expect(refusals(source).map((issue) => issue.path)).toContainEqual(
      expect.stringContaining(path),
    ),
  )

  it('cannot make a page grow without bound', () => {
    const grow = Array.from({ length: 10 }, () => ({ replace: ['a', 'a'.repeat(500)] }))
    const begin = cpuMs()
    expect(String(step('a'.repeat(50), grow)).length).toBeLessThanOrEqual(1_000_000)
    expect(cpuMs() - begin).toBeLessThan(2_000)
  })
})

describe('JSON inside of elements', () => {
  it.each<[string, object, unknown]>([
    ['a script', { css: 'script#data', json: '$.props.items[0].name' }, 'One'],
    ['all of a script', { css: 'script', json: '$..name', many: true }, ['One', 'Two']],
    ['an attribute', { css: 'div', attr: 'data-json', json: '$.stock', as: 'number' }, 3],
    ['by XPath', { xpath: '//div/@data-json', json: '$.stock' }, 3],
    [
      'fields of it',
      { css: '#data', json: '$.props.items[*]', many: true, fields: { name: '$.name' } },
      [{ name: 'One' }, { name: 'Two' }],
    ],
    ['no JSON', { css: 'h1', json: '$.a' }, null],
  ])('%s', (_, source, expected) => expect(value(source)).toEqual(expected))
})

describe('microdata', () => {
  const shop = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1><img itemprop="image" src="/l.png"><a itemprop="url" href="/lamp">x</a><meta itemprop="sku" content="L-1"><time itemprop="releaseDate" datetime="2026-01-02">soon</time>
  <span itemprop="color">red</span><span itemprop="color">blue</span><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><b itemprop="price" content="9.50">9,50</b></div></div><div itemscope itemtype="https://schema.org/Product"><i itemprop="name">Cup</i></div>`

  it.each<[string, object, unknown]>([
    ['a property of a type', { microdata: 'Product.name' }, 'Lamp'],
    ['below another', { microdata: 'Product.offers.price', as: 'number' }, 9.5],
    ['of an inner type', { microdata: 'Offer.price' }, '9.50'],
    ['all of them', { microdata: 'Product.name', many: true }, ['Lamp', 'Cup']],
    ['without a type', { microdata: 'name' }, 'Lamp'],
    ['a list', { microdata: 'Product.color', many: true }, ['red', 'blue']],
    ['links made absolute', { microdata: 'Product.image' }, 'https://a.example/l.png'],
    ['a date', { microdata: 'Product.releaseDate', as: 'date' }, '2026-01-02'],
    ['nothing', { microdata: 'Product.weight' }, null],
    ['a name of a member that every object has', { microdata: 'constructor' }, null],
    ['an item', { microdata: 'Offer' }, { '@type': 'Offer', price: '9.50' }],
    [
      'fields',
      { microdata: 'Product', many: true, fields: { name: '$.name' } },
      [{ name: 'Lamp' }, { name: 'Cup' }],
    ],
  ])('%s', (_, source, expected) => expect(value(source, pageOf(shop))).toEqual(expected))

  it('gives items', () => {
    expect(
      compile({
        items: '[itemtype$=Product]',
        fields: { name: { microdata: 'name' }, price: { microdata: 'Offer.price' } },
      }).process(pageOf(shop), START).rows,
    ).toEqual([
      { name: 'Lamp', price: '9.50' },
      { name: 'Cup', price: null },
    ])
  })

  it('gives at most ten thousand values for an item, however many names nested items have', () => {
    const nested = `${'<div itemscope itemprop="a b">'.repeat(18)}<i itemprop="x">y</i>`
    const items = value({ microdata: 'T' }, pageOf(`<div itemscope itemtype=T>${nested}`))
    expect(JSON.stringify(items).length).toBeLessThan(100_000)
    expect(JSON.stringify(items)).toContain('"x":"y"')
  })

  it('does work in proportion to the page', () => {
    const begin = cpuMs()
    const hostile = `${'<div itemscope itemprop="a b">'.repeat(400)}${'<i itemprop="__proto__ x">y</i>'.repeat(20_000)}`
    const items = value(
      { microdata: 'x', many: true },
      pageOf(`<div itemscope itemtype=T>${hostile}`),
    )
    expect(JSON.stringify(items).length).toBeLessThan(2_000_000)
    expect(cpuMs() - begin).toBeLessThan(6_000)
  })
})
