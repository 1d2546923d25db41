import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/json.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileJsonPath, matchesIn } from '../../../../src/engine/extract/value/json-path.ts'
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

describe('what is no path', () => {
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

test('a hostile document and path take no time to speak of', () => {
  const wide: Json = Array.from({ length: 2_000 }, () => ({ a: { a: { a: { a: [1, 2, 3] } } } }))
  const begin = cpuMs()
  expect(found('$..*..*..*..*', wide).length).toBeLessThanOrEqual(10_000)
  found('$..[?@..[?@..[?@..a]]]', wide)
  expect(cpuMs() - begin).toBeLessThan(500)
})
