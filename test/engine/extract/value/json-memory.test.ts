import { expect, test } from 'vitest'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { PageBudget, PageTooCostly } from '../../../../src/engine/extract/page/page-budget.ts'
import { parsePageJson, readJson } from '../../../../src/engine/extract/page/parse-json.ts'
import { JsonCount, shareEmpty } from '../../../../src/engine/extract/value/json-memory.ts'
import { isList } from '../../../../src/kernel/json.ts'
import type { Json } from '../../../../src/kernel/json.ts'

const listOf = (unit: string, characters: number): string =>
  `[${`${unit},`.repeat(characters / (unit.length + 1))}0]`

/** At once and in parts: the text is longer than one part. */
const readBoth = (text: string): readonly (Json | undefined)[] => [
  parsePageJson(text, new PageBudget()),
  atOnce(readJson(text, new PageBudget(), true)),
]

test.each(['{}', '[]', '{ }', '{"a":{}}', '[{"__proto__":[]}]', '[7]', '[[10]]'])(
  'the empty or small values of a list of %s are one value',
  (unit) => {
    const text = listOf(unit, 500_000)
    for (const list of readBoth(text)) {
      expect(JSON.stringify(list)).toBe(JSON.stringify(JSON.parse(text)))
      const [first, second] = isList(list) ? list : []
      const inner = (value: Json | undefined): unknown =>
        unit.length < 4 ? value : Object.values(Object(isList(value) ? value[0] : value))[0]
      expect(inner(first)).toBe(inner(second))
    }
  },
)

test.each(['[-0]', '[0.5]', '[100]', '[-1]', '["1"]', '[null]'])(
  'a list such as %s is kept',
  (unit) => {
    const text = listOf(`${unit},[]`, 20_000)
    for (const list of readBoth(text)) {
      expect(list).toEqual(JSON.parse(text))
      expect(Object.isFrozen(Object(list)[0])).toBe(false)
    }
  },
)

test('a few empty values stay as they are', () => {
  const [list] = readBoth(listOf('{"a":1,"b":{}}', 1_000))
  const [first, second] = isList(list) ? list : []
  expect(first).toEqual({ a: 1, b: {} })
  expect(Object(first).b).not.toBe(Object(second).b)
})

test.each([100_000, 500_000])('a broken document of %d levels does not cost its page', (levels) => {
  for (const inParts of [false, true]) {
    const budget = new PageBudget()
    expect(atOnce(readJson('['.repeat(levels), budget, inParts))).toBeUndefined()
    expect(budget.overrun).toBeNull()
  }
})

test.each(['[[[1]]]', '[[[[1]]]]', '[[],[[]]]'])(
  'a document of many lists such as %s is too costly, as each takes much memory',
  (unit) => {
    const text = listOf(unit, 3_500_000)
    for (const inParts of [false, true])
      expect(() => atOnce(readJson(text, new PageBudget(), inParts))).toThrow(PageTooCostly)
  },
)

test.each(['[1,2]', '{"a":1}', '{"name":"a","price":1.5,"tags":["b"]}', '{},[]', '"abc"', 'null'])(
  'values such as %s pay for their number only',
  (unit) => {
    const text = listOf(unit, 100_000)
    const count = new JsonCount()
    count.add(text, 0, text.length)
    expect(count.excess).toBe(0)
  },
)

test('values without members are shared as they are', () => {
  expect(shareEmpty('a')).toBe('a')
  expect(shareEmpty(null)).toBe(null)
  expect(shareEmpty([])).toBe(shareEmpty([]))
})
