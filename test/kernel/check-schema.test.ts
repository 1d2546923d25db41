import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { checkSchema } from '../../src/kernel/check-schema.ts'
import { cpuMs } from '../support/cpu-ms.ts'

const inner = v.strictObject({ n: v.exactOptional(v.number()) })
const schema = v.strictObject({
  one: v.exactOptional(inner),
  many: v.exactOptional(v.array(inner)),
  named: v.exactOptional(v.record(v.string(), inner)),
  words: v.exactOptional(v.pipe(v.string(), v.transform((text) => text.split(',')))),
})
const issuesOf = (input: unknown) => checkSchema(schema, input).issues?.map(({ path, message }) => `${path}: ${message}`) ?? []

describe('a list is no object', () => {
  it.each([
    [[], ': must be an object'],
    [{ one: [] }, 'one: must be an object'],
    [{ one: [1] }, 'one.0: unknown field'],
    [{ many: [{}, []] }, 'many.1: must be an object'],
    [{ named: [] }, 'named: must be an object'],
    [{ named: { a: [] } }, 'named.a: must be an object'],
    [{ named: [{}] }, 'named: must be an object'],
  ])('%j', (input, issue) => {
    expect(issuesOf(input)).toContain(issue)
  })

  it('and what is right stays right', () => {
    fc.assert(
      fc.property(fc.record({ one: fc.record({ n: fc.double({ noNaN: true }) }), many: fc.array(fc.constant({})), named: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.constant({})), words: fc.string() }, { requiredKeys: [] }), (input) => {
        expect(issuesOf(input)).toEqual([])
      }),
    )
  })

  it('is said beside what else is wrong', () => {
    expect(issuesOf({ one: [], many: [{ n: 'x' }], x: 1, y: 2 })).toEqual(['many.0.n: must be a number', 'x: unknown field', 'one: must be an object', 'y: unknown field'])
  })
})

it('a large input is told its first wrong place, and soon', () => {
  const many = Array.from({ length: 300_000 }, () => ({ n: 'x' }))
  const started = cpuMs()
  expect(issuesOf({ many })).toEqual(['many.0.n: must be a number'])
  expect(issuesOf({ many: many.map(() => ({})), one: [] })).toEqual(['one: must be an object'])
  expect(cpuMs() - started).toBeLessThan(3_000)
})
