import { expect, test } from 'vitest'
import { isObject } from '../../src/kernel/json.ts'
import { MOST_COLUMNS, MOST_PARTS, wantedOf } from '../../src/mcp/extended/wanted.ts'
import type { Wanted } from '../../src/mcp/extended/wanted.ts'
import { failingCases } from '../support/failing-cases.ts'

type Data = { readonly [name: string]: unknown }

/** Reading breaks off there: a reader that copies what it refers to would take minutes. */
const MOST_STEPS = 200_000

/** The steps that reading a schema takes: each key that is read or listed is one. */
function stepsFor(schema: Data): number {
  let steps = 0
  const count = () => {
    steps++
    if (steps > MOST_STEPS) throw new Error(`more than ${MOST_STEPS} steps`)
  }
  const watchers = new WeakMap<object, object>()
  const watched = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const watcher =
      watchers.get(value) ??
      new Proxy(value, {
        get(target, name) {
          count()
          return watched(Reflect.get(target, name))
        },
        getOwnPropertyDescriptor(target, name) {
          count()
          return Reflect.getOwnPropertyDescriptor(target, name)
        },
      })
    watchers.set(value, watcher)
    return watcher
  }
  const root = watched(schema)
  if (!isObject(root)) throw new Error('A schema is an object')
  wantedOf(root)
  return steps
}

const many = (count: number, valueFor: (index: number) => unknown): Data =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`value${index}`, valueFor(index)]),
  )
const refer = (place: string) => many(MOST_COLUMNS, () => ({ $ref: place }))

/** Schemas of one size, all of whose columns refer to what grows. */
const GROWING: Readonly<Record<string, (size: number) => Data>> = {
  'other keys at the root': (size) => ({ ...many(size, () => 1), properties: refer('#') }),
  'other keys of parts': (size) => ({
    properties: refer('#/row'),
    row: { properties: refer('#/part') },
    part: { ...many(size, () => 1), type: 'string' },
  }),
  'properties of an object': (size) => ({
    properties: refer('#/big'),
    big: { properties: many(size, () => ({ type: 'string' })) },
  }),
  'a choice': (size) => ({
    properties: refer('#/row'),
    row: { properties: refer('#/choice') },
    choice: { anyOf: Array.from({ length: size }, () => ({ type: 'null' })) },
  }),
  'a list of types': (size) => ({
    properties: refer('#/types'),
    types: { type: Array.from({ length: size }, () => 'null') },
  }),
}

test('an added part of a schema is read a few times, however many columns refer to it', async () => {
  const failing = await failingCases(
    Object.entries(GROWING),
    ([name]) => name,
    ([, make]) => {
      const added = 5_000
      const more = stepsFor(make(1_000 + added)) - stepsFor(make(1_000))
      expect(more / added).toBeLessThan(6)
    },
  )
  expect(failing).toEqual([])
})

test('a schema that refers to itself gives one more part than the most', () => {
  const values = wantedOf({ properties: refer('#') })
  const partsIn = (all: readonly Wanted[]): number =>
    all.reduce((sum, { parts }) => sum + parts.length + partsIn(parts), 0)
  expect([values.length, partsIn(values)]).toEqual([MOST_COLUMNS, MOST_PARTS + 1])
})

test('members of a schema take precedence over those that it refers to, within a few steps', () => {
  const chain = (steps: number): Data => ({
    properties: { a: { $ref: '#/steps/value0', description: 'Mine' } },
    steps: many(steps, (index) =>
      index + 1 < steps
        ? { $ref: `#/steps/value${index + 1}`, ...(index === 2 && { type: 'number' }) }
        : { type: 'string', description: 'Its own', format: 'other' },
    ),
  })
  const [near] = wantedOf(chain(7))
  const [far] = wantedOf(chain(9))
  expect([near?.question, near?.as, far?.question, far?.as]).toEqual([
    'Mine',
    'number',
    'The a',
    null,
  ])
})
