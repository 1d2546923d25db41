import { expect, test } from 'vitest'
import { jsonParts } from '../../../../src/engine/extract/page/json-parts.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { scriptLiteralParts } from '../../../../src/engine/extract/page/script-literal.ts'
import { namesOf, valuesOf } from '../../../../src/engine/extract/value/wide-names.ts'
import { isObject } from '../../../../src/kernel/json.ts'
import type { JsonObject } from '../../../../src/kernel/json.ts'

function readInParts(text: string): JsonObject {
  const parts = jsonParts(text, { part: 500 })
  for (let step = parts.next(); ; step = parts.next())
    if (step.done === true) {
      if (!isObject(step.value)) throw new Error('The text is no object')
      return step.value
    }
}

const members = (count: number, nameOf: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `"${nameOf(index)}":${index === 7 ? 'null' : index}`).join(',')}}`

test.each([
  ['few names', members(100, (index) => `name${index}`)],
  ['names', members(2_000, (index) => `name${index}`)],
  ['ids', members(2_000, (index) => String((index * 16_807) % 4_294_967_291))],
  [
    'ids and names',
    members(2_000, (index) => (index % 2 === 0 ? `${9_000 - index}` : `n${index}`)),
  ],
  ['names that occur twice', members(3_000, (index) => `${index % 1_500}`)],
  [
    'numbers that are no index',
    members(
      2_000,
      (index) => ['00', '4294967295', '-1', '1.5', '4294967294'][index] ?? `${index}0`,
    ),
  ],
  ['a name with a meaning', members(2_000, (index) => (index === 3 ? '__proto__' : `n${index}`))],
])('%s of an object that is read in parts are those of the object', (_, text) => {
  const object = readInParts(text)
  const whole: unknown = JSON.parse(text)
  expect(JSON.stringify(object)).toBe(JSON.stringify(whole))
  expect(namesOf(object)).toEqual(Object.keys(object))
  expect(valuesOf(object)).toEqual(Object.values(object))
})

test('the names of an object with many of them are listed once', () => {
  const object = readInParts(members(2_000, (index) => `name${index}`))
  expect(namesOf(object)).toBe(namesOf(object))
})

test('the numbers of an object are put into order in parts', () => {
  const text = members(100_000, (index) => String((index * 16_807) % 4_294_967_291))
  const positions = [...jsonParts(text, { part: 500_000 })]
  // Each of five slices is counted, placed and counted, placed, and listed.
  expect(positions.filter((position) => position === text.length)).toHaveLength(26)
})

function readScript(text: string): JsonObject {
  const value = atOnce(scriptLiteralParts(text, 0, new PageBudget(), true))?.value
  if (!isObject(value)) throw new Error('The text is no object')
  return value
}

const plain = members(2_000, (index) => (index % 2 === 0 ? `${9_000 - index}` : `n${index % 999}`))

test.each([
  ['code', plain.replaceAll('"', '')],
  ['names without values', `{${plain.slice(1, -1)},true,null,n3,false}`],
  ['a parameter', `(function(a){return a}(${plain.replaceAll('"', '')}))`],
  ['a parameter that gets a member', `(function(a){a.b=1;a.b=2;return a}(${plain}))`],
  ['JSON in code that gets a member', `(function(a){a.b=1;return a}(JSON.parse('${plain}')))`],
  ['a parameter that gets a number', `(function(a){a[9000]=5;return a}(${plain}))`],
])('the names of a wide object of %s are listed once', (_, text) => {
  const object = readScript(text)
  expect(namesOf(object)).toBe(namesOf(object))
  expect(namesOf(object)).toEqual(Object.keys(object))
  expect(valuesOf(object)).toEqual(Object.values(object))
})

test('a wide object of code that gets a further number as a name has it in its place', () => {
  const object = readScript(`(function(a){a[3]=5;a.b=6;return a}(${plain}))`)
  expect(namesOf(object)[0]).toBe('3')
  expect(namesOf(object)).toEqual(Object.keys(object))
  expect(object['b']).toBe(6)
})

test('an object of code with very many names gets no further number as a name', () => {
  const many = members(60_000, (index) => `n${index}`)
  const parts = scriptLiteralParts(
    `(function(a){a[3]=5;return a}(${many}))`,
    0,
    new PageBudget(),
    true,
  )
  expect(atOnce(parts)).toBe(null)
})

test('the body of a function is read in parts, though it was skipped before', () => {
  const code = members(30_000, (index) => `n${index}`).replaceAll('"', '')
  const budget = new PageBudget()
  const parts = scriptLiteralParts(`(function(a){return ${code}}(1))`, 0, budget, true)
  let most = 0
  for (let before = 0; parts.next().done !== true; before = budget.stepsDone)
    most = Math.max(most, budget.stepsDone - before)
  expect(most).toBeLessThan(100_000)
})

test('code with a few empty objects and lists gives each by itself, as before', () => {
  const apart = readScript('{a:{},b:{},c:[],d:[]}')
  for (const name of ['a', 'b', 'c', 'd']) expect(Object.isFrozen(apart[name])).toBe(false)
  expect(apart['a']).not.toBe(apart['b'])
  expect(apart['c']).not.toBe(apart['d'])
  const long = readScript(`{a:[${`"${'x'.repeat(200)}",{},`.repeat(600)}{}]}`)
  expect(new Set(Object.values(Object(long['a']))).size).toBe(602)
})

test('many empty objects and lists of code are one value, unless code may change them', () => {
  const many = '{},[],'.repeat(300)
  const same = readScript(`{a:[${many}0],b:{},c:{},d:[],e:[]}`)
  expect(same['b']).toEqual({})
  expect(same['b']).toBe(same['c'])
  expect(same['d']).toEqual([])
  expect(same['d']).toBe(same['e'])
  const apart = readScript(`(function(a,b){a.x=1;return {a:a,b:b,c:[${many}{}]}}({},{}))`)
  expect(apart).toMatchObject({ a: { x: 1 }, b: {} })
  expect(Object.values(Object(apart['c'])).some((value) => Object.isFrozen(Object(value)))).toBe(
    false,
  )
})
