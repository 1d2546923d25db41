import * as v from 'valibot'
import { expect, it } from 'vitest'
import { schemaIssues } from '../../src/kernel/schema.ts'

const issuesOf = (schema: v.GenericSchema, input: unknown, root?: string) =>
  schemaIssues(v.safeParse(schema, input).issues ?? [], schema, root === undefined ? [] : [root])

it.each<[v.GenericSchema, unknown, string]>([
  [v.string(), 5, 'must be a text'],
  [v.number(), '5', 'must be a number'],
  [v.boolean(), 0, 'must be true or false'],
  [v.array(v.string()), {}, 'must be a list'],
  [v.strictObject({}), 'x', 'must be an object'],
  [v.string(), undefined, 'is required'],
  [v.pipe(v.string(), v.minLength(1)), '', 'must not be empty'],
  [v.pipe(v.array(v.string()), v.minLength(2)), ['a'], 'must have at least 2 items'],
  [v.pipe(v.string(), v.maxLength(2)), 'abc', 'must have at most 2 characters'],
  [
    v.pipe(v.record(v.string(), v.number()), v.maxEntries(1)),
    { a: 1, b: 2 },
    'must have at most 1 items',
  ],
  [v.pipe(v.number(), v.minValue(3)), 2, 'must be at least 3'],
  [v.pipe(v.number(), v.maxValue(3)), 4, 'must be at most 3'],
  [v.pipe(v.number(), v.integer()), 1.5, 'must be a whole number'],
  [v.picklist(['a', 'b', 'c']), 'd', 'must be "a", "b" or "c"'],
  [v.picklist(['present', 'gone']), 'presnt', 'must be "present" or "gone"; did you mean present?'],
  [v.literal(true), false, 'must be true'],
  [v.pipe(v.string(), v.regex(/^a/, 'must begin with a')), 'b', 'must begin with a'],
  [v.pipe(v.string(), v.email()), 'b', 'is not valid'],
])('the message of issue %# says what is wrong', (schema, input, message) => {
  expect(issuesOf(schema, input)).toEqual([{ path: '', message }])
})

it('an issue has the path of the wrong place', () => {
  const schema = v.strictObject({
    a: v.array(v.strictObject({ b: v.string() })),
    c: v.optional(v.string()),
  })
  expect(issuesOf(schema, { a: [{ b: 'x' }, { b: 1, d: 2 }], c: 3 }, 'root')).toEqual([
    { path: 'root.a.1.b', message: 'must be a text' },
    { path: 'root.a.1.d', message: 'unknown field; known: b' },
    { path: 'root.c', message: 'must be a text' },
  ])
})

it('the issues of a variant are those of the intended variant', () => {
  const schema = v.strictObject({
    follow: v.array(
      v.union([
        v.strictObject({ links: v.string(), as: v.optional(v.string()) }),
        v.strictObject({ next: v.string(), max: v.optional(v.number()) }),
      ]),
    ),
  })
  expect(issuesOf(schema, { follow: [{ next: 'a', max: 'many' }] })).toEqual([
    { path: 'follow.0.max', message: 'must be a number' },
  ])
  expect(issuesOf(schema, { follow: [{ links: 5 }] })).toEqual([
    { path: 'follow.0.links', message: 'must be a text' },
  ])
  expect(issuesOf(schema, { follow: [{ next: 'a', as: 'x' }] })).toEqual([
    { path: 'follow.0.as', message: 'unknown field; did you mean max?' },
  ])
  expect(issuesOf(schema, { follow: [5] })).toEqual([
    { path: 'follow.0', message: 'must be an object' },
  ])
})
