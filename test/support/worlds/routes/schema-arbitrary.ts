import fc from 'fast-check'
import type { JsonSchema } from '../../../../src/http/openapi/types.ts'

/** Texts that mean something to this API, so that generated requests get past the first check. */
const MEANT = [
  'https://shop.example.com/list?page={1..3}',
  'https://shop.example.com/',
  'h1',
  '.price',
  'a.next',
  '$..sku',
  'detail',
  'shop',
]
/** Values that trip parsers, comparisons and stores. */
const JUNK: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  '',
  ' ',
  '0',
  '\u0000',
  '\u202e',
  '\ud800',
  'é'.normalize('NFD'),
  '😀'.repeat(60),
  'x'.repeat(5_000),
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '<script>',
  '${7*7}',
  '%00',
  'http://127.0.0.1/',
  'javascript:1',
  '{1..999999999}',
  '(a+)+$',
  '*'.repeat(300),
  [],
  {},
  [[[[]]]],
  { __proto__: null, constructor: { prototype: {} } },
  { toString: 1, valueOf: 2, length: -1 },
]
const MAX_DEPTH = 5

/**
 * Values as a schema of the document wants them, but for a value of any kind here and there, a
 * field too many or one too few.
 */
export function schemaArbitrary(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 30, arbitrary: valid(schema, components, depth) },
    { weight: 1, arbitrary: junk() },
  )
}

/** Values of any kind. */
export function junk(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom(...JUNK), fc.jsonValue({ maxDepth: 3 }))
}

function valid(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  depth: number,
): fc.Arbitrary<unknown> {
  const inner = (one: unknown) => schemaArbitrary(asSchema(one), components, depth + 1)
  if (depth > MAX_DEPTH) return fc.constantFrom('h1', 1, null)
  if (typeof schema['$ref'] === 'string')
    return valid(components[schema['$ref'].split('/').at(-1) ?? ''] ?? {}, components, depth)
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map(inner))
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, inner)
    case 'array':
      return fc.array(inner(schema['items']), {
        minLength: Math.min(limit(schema, 'minItems', 0), 3),
        maxLength: Math.min(limit(schema, 'maxItems', 4), 4),
      })
    case 'integer':
      return fc.oneof(
        fc.integer({ min: limit(schema, 'minimum', -1_000), max: limit(schema, 'maximum', 1_000) }),
        fc.constantFrom(
          limit(schema, 'minimum', 0),
          limit(schema, 'maximum', 0),
          limit(schema, 'maximum', 0) + 1,
        ),
      )
    case 'string':
      return textOf(schema)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function objectOf(
  schema: JsonSchema,
  inner: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (schema['properties'] === undefined)
    return fc.dictionary(
      fc.oneof(fc.constantFrom('title', 'price'), fc.string({ minLength: 1, maxLength: 20 })),
      inner(schema['additionalProperties']),
      { minKeys: 1, maxKeys: 4 },
    )
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const entries = Object.entries(schema['properties'] ?? {}).map(([name, field]) => {
    const weights = required.has(name) ? { present: 40, absent: 1 } : { present: 1, absent: 2 }
    return fc.oneof(
      { weight: weights.present, arbitrary: inner(field).map((value) => [[name, value]]) },
      { weight: weights.absent, arbitrary: fc.constant([]) },
    )
  })
  const unknown = fc.oneof(
    { weight: 20, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.string(), junk()).map((entry) => [entry]) },
  )
  return fc
    .tuple(...entries, unknown)
    .map((fields) => Object.fromEntries(fields.flat() as [string, unknown][]))
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const text =
    schema['format'] === 'date-time'
      ? fc
          .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
          .map((date) => date.toISOString())
      : typeof schema['pattern'] === 'string'
        ? fc.stringMatching(new RegExp(schema['pattern']))
        : fc.string({
            unit: 'grapheme',
            minLength: Math.min(limit(schema, 'minLength', 0), 5),
            maxLength: Math.min(limit(schema, 'maxLength', 40), 40),
          })
  return fc.oneof(
    { weight: 2, arbitrary: text },
    { weight: 3, arbitrary: fc.constantFrom(...MEANT) },
  )
}

function limit(schema: JsonSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword]
  return typeof value === 'number' ? value : otherwise
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
