import fc from 'fast-check'
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
} from '../../../../src/http/openapi/types.ts'
import { junk, schemaArbitrary } from './schema-arbitrary.ts'

/** A request as a test can send it. */
export interface AnyRequest {
  readonly method: string
  /**
   * Path and query; `{n}` stands for the nth id that is known, counted round, `{cursor}` for a
   * cursor of some list.
   */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | null
}

const ODD_SEGMENTS = [
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '..',
  '%2e%2e',
  'a%2fb',
  '%20',
  '~',
  '*',
  ':id',
  'x'.repeat(201),
  'x'.repeat(3_000),
  '__proto__',
  'null',
  '😀',
  "'--",
]
const ODD_QUERIES = [
  '&&',
  '=',
  '==',
  '?',
  'limit',
  'limit=1&limit=1',
  '%',
  '%ff=%ff',
  'limit=%31',
  'limit=01',
  'limit=1e1',
  'limit=%EF%BC%91',
  '__proto__=1',
  'a[b]=c',
  'limit=1;x=2',
  'cursor=AAAA',
  'cursor={cursor}',
  'limit=2&cursor={cursor}',
  'cursor={cursor}A',
  'cursor=A{cursor}',
  'cursor={cursor}=',
  'q=%00',
  'q=%ed%a0%80',
  'fields=,',
  'fields=title,title',
  `q=${'x'.repeat(5_000)}`,
]
const METHODS = [
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'PROPFIND',
  'patch',
  'GETS',
]
const ODD_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    [
      '*/*',
      'application/json',
      'text/csv',
      'text/*;q=0',
      'application/json;q=0',
      ',,,',
      'x',
      'application/json, */*;q=0.1',
      'a/b'.repeat(900),
    ],
  ],
  [
    'authorization',
    [
      'Bearer',
      'Bearer ',
      'bearer x',
      'Basic eA==',
      'Bearer a, Bearer b',
      'Bearer svc_sk_wrong',
      `Bearer ${'x'.repeat(9_000)}`,
      'Bearer a.b.c',
    ],
  ],
  [
    'content-type',
    [
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;charset=utf-8',
      'multipart/form-data; boundary=x',
      'application/merge-patch+json',
      '',
      '\xff',
    ],
  ],
  ['content-length', ['-1', '99999999999', 'NaN', '0']],
  ['content-encoding', ['gzip', 'br']],
  ['idempotency-key', ['a', 'b', 'k'.repeat(255), 'k'.repeat(256), '', '\xe9\x00'.slice(0, 1)]],
  ['if-match', ['*', '"x"', 'W/"x"', '"', ',', '"a", "b"', 'x'.repeat(3_000)]],
  ['if-none-match', ['*', '"x"', 'W/"x"', '"', ', ,', '"a" "b"']],
  ['origin', ['null', 'https://evil.example', 'x']],
  ['range', ['bytes=0-1', 'bytes=-', 'x']],
  ['x-request-id', ['short', 'a-fine_request-id', 'x'.repeat(65), 'bad id!', '\xff']],
  ['x-http-method-override', ['DELETE']],
]

/** Requests of one operation: many that it accepts, many that nobody should send. */
export function requestArbitrary(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
): fc.Arbitrary<AnyRequest> {
  const schemas = document.components.schemas
  const parameters = operation.parameters.flatMap((parameter) =>
    '$ref' in parameter ? [] : [parameter],
  )
  const media = operation.requestBody?.content['application/json']
  return fc.record({
    method: mostly(fc.constant(method.toUpperCase()), fc.constantFrom(...METHODS), 14),
    target: fc
      .tuple(segments(path), queryOf(parameters, schemas))
      .map(([address, query]) => address + query),
    headers: headers(),
    body: media
      ? bodyOf(media.schema, media.example, schemas)
      : mostly(fc.constant(null), fc.constantFrom('', '{}', 'x'), 8),
  })
}

function mostly<T, U>(
  usual: fc.Arbitrary<T>,
  odd: fc.Arbitrary<U>,
  weight: number,
): fc.Arbitrary<T | U> {
  return fc.oneof<[fc.WeightedArbitrary<T>, fc.WeightedArbitrary<U>]>(
    { weight, arbitrary: usual },
    { weight: 1, arbitrary: odd },
  )
}

function segments(path: string): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (!part.startsWith('{')) return fc.constant(part)
    const odd = fc.oneof(
      fc.constantFrom(...ODD_SEGMENTS),
      fc.string({ minLength: 1 }).map((text) => encodeURIComponent(text.toWellFormed())),
    )
    return mostly(
      fc.nat(1_000).map((n) => `{${n}}`),
      odd,
      4,
    )
  })
  return mostly(
    fc.tuple(...parts).map((texts) => texts.join('')),
    fc.constantFrom(`${path}/`, `${path}//`, `${path}/x`, path.toUpperCase(), `/${path}`),
    40,
  )
}

function queryOf(
  parameters: readonly Parameter[],
  schemas: Readonly<Record<string, JsonSchema>>,
): fc.Arbitrary<string> {
  const parts = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, example }) => {
      const value = mostly(
        fc.oneof(schemaArbitrary(schema, schemas), fc.constant(example ?? 1)),
        junk(),
        12,
      )
      return fc.oneof(
        { weight: 3, arbitrary: fc.constant('') },
        {
          weight: 1,
          arbitrary: value.map(
            (one) =>
              `${name}=` +
              encodeURIComponent(
                String(typeof one === 'object' ? JSON.stringify(one) : one).toWellFormed(),
              ),
          ),
        },
      )
    })
  const described = fc
    .tuple(...parts)
    .map((pairs) => pairs.filter((pair) => pair !== '').join('&'))
    .map((query) => (query === '' ? '' : `?${query}`))
  return mostly(
    described,
    fc.constantFrom(...ODD_QUERIES).map((query) => `?${query}`),
    9,
  )
}

function headers(): fc.Arbitrary<Record<string, string>> {
  const odd = fc
    .constantFrom(...ODD_HEADERS)
    .chain(([name, values]) =>
      fc.constantFrom(...values).map((value): readonly [string, string] => [name, value]),
    )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 2,
      arbitrary: fc
        .array(odd, { minLength: 1, maxLength: 3 })
        .map((pairs) => Object.fromEntries(pairs)),
    },
  )
}

function bodyOf(
  schema: JsonSchema,
  example: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
): fc.Arbitrary<AnyRequest['body']> {
  const body = fc
    .oneof(
      { weight: 3, arbitrary: schemaArbitrary(schema, schemas) },
      { weight: 1, arbitrary: fc.constant(example ?? {}) },
    )
    .map((value) => JSON.stringify(value))
  const odd = fc.oneof(
    junk().map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '',
      '{',
      '{}',
      '[]',
      'null',
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      '{"name":1e999}',
      '{"name":9007199254740993}',
      '{"name":"\\ud800"}',
      '\ufeff{}',
      `{"a":${'['.repeat(500)}${']'.repeat(500)}}`,
      `{"name":"${'x'.repeat(70_000)}"}`,
    ),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
    body.map((text) => text.slice(0, -1)),
  )
  return mostly(body, odd, 6)
}
