import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { checkSchema } from '../../src/kernel/schema.ts'
import { cpuMs } from '../support/cpu-ms.ts'

const inner = v.strictObject({ n: v.exactOptional(v.number()) })
const schema = v.strictObject({
  one: v.exactOptional(inner),
  many: v.exactOptional(v.array(inner)),
  named: v.exactOptional(v.record(v.string(), inner)),
  words: v.exactOptional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
    ),
  ),
})
const issuesOf = (input: unknown) =>
  checkSchema(schema, input).issues?.map(({ path, message }) => `${path}: ${message}`) ?? []

describe('a list in place of an object is refused', () => {
  it.each([
    [[], ': must be an object'],
    [{ one: [] }, 'one: must be an object'],
    [{ one: [1] }, 'one.0: unknown field; known: n'],
    [{ many: [{}, []] }, 'many.1: must be an object'],
    [{ named: [] }, 'named: must be an object'],
    [{ named: { a: [] } }, 'named.a: must be an object'],
    [{ named: [{}] }, 'named: must be an object'],
  ])('%j', (input, issue) => {
    expect(issuesOf(input)).toContain(issue)
  })

  it('and a valid input stays valid', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            one: fc.record({ n: fc.double({ noNaN: true }) }),
            many: fc.array(fc.constant({})),
            named: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.constant({})),
            words: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (input) => {
          expect(issuesOf(input)).toEqual([])
        },
      ),
    )
  })

  it('beside other errors', () => {
    expect(issuesOf({ one: [], many: [{ n: 'x' }], x: 1, y: 2 })).toEqual([
      'many.0.n: must be a number',
      'x: unknown field; known: one, many, named, words',
      'one: must be an object',
      'y: unknown field; known: one, many, named, words',
    ])
  })
})

it('a large input is refused quickly, with its first wrong place', () => {
  const many = Array.from({ length: 14_000 }, () => ({ n: 'x' }))
  const started = cpuMs()
  expect(issuesOf({ many })).toEqual(['many.0.n: must be a number'])
  expect(issuesOf({ many: many.map(() => ({})), one: [] })).toEqual(['one: must be an object'])
  expect(cpuMs() - started).toBeLessThan(1_000)
})

describe('an input above all bounds', () => {
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  const inputs: unknown[] = []
  const anything = v.custom<unknown>((input) => inputs.push(input) > 0)

  it('is refused with the figure, and no schema reads it', () => {
    const message =
      'has more than 30,000 values, which is the limit; divide it among several requests'
    expect(
      checkSchema(
        anything,
        Array.from({ length: 30_000 }, () => 1),
      ).issues,
    ).toEqual([{ path: '', message }])
    expect(checkSchema(anything, deep(65)).issues).toEqual([
      { path: '', message: 'is deeper than 64 levels' },
    ])
    expect(checkSchema(anything, deep(50_000)).issues).toHaveLength(1)
    expect(inputs).toEqual([])
    expect(
      checkSchema(
        anything,
        Array.from({ length: 29_999 }, () => 1),
      ).issues,
    ).toBeNull()
    expect(checkSchema(anything, deep(64)).issues).toBeNull()
  })
})

describe('a name of a property of every object', () => {
  const loose = v.object({ a: v.optional(v.number()) })
  const record = v.record(v.string(), v.number())

  it.each(['__proto__', 'constructor', 'prototype'])(
    '%s is refused in a record, which would leave it out',
    (name) => {
      const input: unknown = JSON.parse(`{"named":{"a":{},"${name}":{}}}`)
      expect(issuesOf(input)).toContain(`named.${name}: is not allowed as a name`)
      expect(checkSchema(record, JSON.parse(`{"${name}":1}`)).issues).toEqual([
        { path: name, message: 'is not allowed as a name' },
      ])
      expect(checkSchema(loose, JSON.parse(`{"${name}":1}`)).issues).toEqual([
        { path: name, message: 'is not allowed as a name' },
      ])
    },
  )

  it.each(['toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'])(
    '%s is an unknown field in a strict object',
    (name) => {
      expect(issuesOf({ one: { [name]: 1 } })).toEqual([`one.${name}: unknown field; known: n`])
      expect(checkSchema(record, { [name]: 1 })).toEqual({ output: { [name]: 1 }, issues: null })
    },
  )
})

it('a very long name is cut in the message', () => {
  const [path] = issuesOf({ ['x'.repeat(100_000)]: 1 })
  expect(path).toBe(`${'x'.repeat(200)}…: unknown field; known: one, many, named, words`)
})
