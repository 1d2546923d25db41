import { beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/json.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileJsonPath, matchesIn } from '../../../../src/engine/extract/value/json-path.ts'
import { loadRegexEngine } from '../../../../src/engine/extract/value/linear-regex.ts'
import { cpuMs } from '../../../support/cpu-ms.ts'

function found(path: string, within: Json): readonly Json[] {
  return matchesIn([within], compileJsonPath(path), new PageBudget())
}

const document: Json = {
  '@graph': [
    {
      '@type': 'Product',
      name: 'Lamp',
      offers: [
        { price: 5, sku: 'a' },
        { price: 15, sku: 'b' },
      ],
      "it's": true,
    },
    { '@type': 'BreadcrumbList', name: 'Crumbs', items: [1, 2, 3, 4] },
  ],
}

test.each<[string, Json[]]>([
  ['$', [document]],
  ["$['@graph'][0].name", ['Lamp']],
  ['$..sku', ['a', 'b']],
  ['$..name', ['Lamp', 'Crumbs']],
  ['$..offers[*].price', [5, 15]],
  ['$..offers[-1].sku', ['b']],
  ['$..items[1:3]', [2, 3]],
  ['$..items[::2]', [1, 3]],
  ['$..items[::-1]', [4, 3, 2, 1]],
  ['$..items[0,3]', [1, 4]],
  ["$..[?(@['@type']=='Product')].name", ['Lamp']],
  ['$..[?@.price > 10].sku', ['b']],
  ['$..[?@.price<=5].sku', ['a']],
  ["$..['name','items']", ['Lamp', 'Crumbs', [1, 2, 3, 4]]],
  ['$..@type', ['Product', 'BreadcrumbList']],
  ["$..['it\\'s']", [true]],
  ['$.none', []],
  ['$..constructor', []],
  ['$..[?(@.offers)].name', ['Lamp']],
  ['$..[?@.price != 5].sku', ['b']],
])('%s', (path, expected) => expect(found(path, document)).toEqual(expected))

describe('the error of an invalid path', () => {
  test.each([
    '',
    'name',
    '$.',
    '$..',
    '$[',
    '$[]',
    '$[?]',
    '$.a b',
    "$['a",
    '$[1:2:3:4]',
    '$[?(@.a==)]',
    '$.a..',
  ])('%s names the place', (path) => expect(() => compileJsonPath(path)).toThrow(/character \d+/))
})

describe('filters', () => {
  const shelf: Json = {
    most: 10,
    code: 'l-[0-9]+',
    books: [
      { name: 'One', price: 5, tags: ['a', 'b'], code: 'l-1' },
      { name: 'Two', price: 15, tags: [], code: 'xl-2', parts: { a: [1], b: null } },
      { name: 'Drei ☺', tags: ['a'], parts: { a: [1], b: null } },
    ],
  }
  const names = (filter: string): readonly Json[] => found(`$.books[?${filter}].name`, shelf)
  beforeAll(loadRegexEngine)

  test.each<[string, string[]]>([
    ['@.price < $.most', ['One']],
    ['@.price<=5 || @.tags[0]', ['One', 'Drei ☺']],
    ['@.price && !(@.price == 5)', ['Two']],
    ['!@.price', ['Drei ☺']],
    ['count(@.tags[*]) == 2', ['One']],
    ['length(@.tags) < 1', ['Two']],
    ['length(@.name) == 6', ['Drei ☺']],
    ['value(@..a[0]) == 1', ['Two', 'Drei ☺']],
    ['@.parts == $.books[2].parts', ['Two', 'Drei ☺']],
    ['@.price == @.none', ['Drei ☺']],
    ["match(@.code, 'l-.')", ['One']],
    ["search(@.code, 'l-.')", ['One', 'Two']],
    ['match(@.code, $.code)', ['One']],
    ["match(@.code, '[')", []],
    ["match(@.price, '5')", []],
    ["@.name > 'One'", ['Two']],
    ["@.tags[?@ == 'b']", ['One']],
  ])('%s', (filter, expected) => expect(names(filter)).toEqual(expected))

  test.each([
    '$[?@.*==1]',
    '$[?@..a==1]',
    '$[?length(@.*)==1]',
    '$[?count(1)==1]',
    '$[?length(@)]',
    "$[?match(@,'a')==true]",
    '$[?true]',
    '$[?@==01]',
    '$[?@==True]',
    '$[?none(@)]',
    '$[01]',
    '$[-0]',
    '$[9007199254740992]',
    '$ ',
    ' $',
    '$. a',
    "$['\\ud800']",
    `$[?${'('.repeat(20)}@${')'.repeat(20)}]`,
  ])('%s is refused', (path) => expect(() => compileJsonPath(path)).toThrow(SyntaxError))
})

test('compare texts by code point, also beyond the surrogates', () => {
  expect(found("$[?@>'\uffee']", ['\u{10000}', 'a'])).toEqual(['\u{10000}'])
})

test('match nothing if a pattern of the document is costly to compile', () => {
  const within: Json = { pattern: '(a{1,99}){1,99}', values: ['aaa'] }
  expect(found('$.values[?match(@,$.pattern)]', within)).toEqual([])
})

test('pay for compiling patterns of a document', async () => {
  await loadRegexEngine()
  const within: Json = Array.from({ length: 1_000 }, (_, index) => `a${index}`)
  const budget = new PageBudget()
  matchesIn([within], compileJsonPath('$[?match(@,@)]'), budget)
  expect(budget.spent.steps).toBeGreaterThan(200_000)
})

test('take little time with a hostile document and path', () => {
  const wide: Json = Array.from({ length: 2_000 }, () => ({ a: { a: { a: { a: [1, 2, 3] } } } }))
  const begin = cpuMs()
  expect(found('$..*..*..*..*', wide).length).toBeLessThanOrEqual(10_000)
  found('$..[?@..[?@..[?@..a]]]', wide)
  expect(cpuMs() - begin).toBeLessThan(500)
})

describe('a path pays for all that it reads, each time', () => {
  const MANY = 20_000
  const TIMES = 20
  const list: Json = Array.from({ length: MANY }, () => 0)
  const object: Json = Object.fromEntries(list.map((value, index) => [`m${index}`, value]))
  const text = 'a'.repeat(MANY)
  const often = (part: string, by = ','): string =>
    Array.from({ length: TIMES }, () => part).join(by)

  test.each<[string, string, Json, number]>([
    ['wildcards of a list', `$[${often('*')}].x`, list, TIMES * MANY],
    ['wildcards of an object', `$[${often('*')}].x`, object, TIMES * MANY],
    ['slices', `$[${often('0:')}].x`, list, TIMES * MANY],
    ['all below a list, which has no such thing', `$[${often('0')}]..x`, [list], TIMES * MANY],
    [
      'the members that length() counts',
      `$[?${often('length($[0])>$[1]', '||')}]`,
      [object, MANY],
      TIMES * MANY,
    ],
    [
      'texts that are put in order',
      `$[?${often('$[0]<$[1]', '||')}]`,
      [`${text}b`, `${text}a`],
      (TIMES * MANY) / 8,
    ],
    [
      'objects that are compared',
      '$[?$[0]==$[1]||$[0]==$[1]]',
      [object, { ...object, m0: 1 }],
      // Each of two values is compared twice, and the first member differs.
      40 * 4 * MANY,
    ],
  ])('%s', (_, path, hostile, steps) => {
    const budget = new PageBudget()
    expect(matchesIn([hostile], compileJsonPath(path), budget)).toEqual([])
    expect(budget.spent.steps).toBeGreaterThan(steps)
  })

  test('each value of a very long list is a match, up to the bound', () => {
    const values: Json = Array.from({ length: 200_000 }, (_, index) => index)
    for (const path of ['$[0:]', '$[*]', '$..*', `$[${often('*')}]`]) {
      const budget = new PageBudget()
      expect(matchesIn([values], compileJsonPath(path), budget)).toHaveLength(10_000)
      expect(budget.losses.cuts).toMatchObject([{ what: 'matches of a JSONPath', limit: 10_000 }])
    }
  })
})
