import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codePoint } from '../support/any-text.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const host = await createServiceHost()
const { id } = await host.executionWith([[{ title: 'a', price: 1 }]])

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'v1',
    'tasks',
    'executions',
    'results',
    'export',
    'pages',
    'keys',
    id,
    '..',
    '.',
    '',
    '%',
    '%00',
    '%2e%2e',
    '%ff',
    '*',
    ':id',
    'constructor',
    '__proto__',
    'x'.repeat(3_000),
  ),
  fc
    .string({ unit: codePoint, maxLength: 8 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
)
const path = fc.oneof(
  fc.array(segment, { maxLength: 7 }).map((parts) => `/${parts.join('/')}`),
  fc
    .constantFrom('results', 'pages', 'results/export')
    .map((tail) => `/api/v1/executions/${id}/${tail}`),
)
const parameter = fc.tuple(
  fc.constantFrom(
    'limit',
    'cursor',
    'fields',
    'format',
    'status',
    'q',
    'outcome',
    '__proto__',
    'constructor',
  ),
  fc.oneof(fc.string(), fc.constantFrom('1', 'title', 'csv', 'a,b')),
)
const query = fc
  .array(parameter, { maxLength: 3 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`))
const method = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
)

it('any request gets an answer with its id, and none fails', async () => {
  await fc.assert(
    fc.asyncProperty(method, path, query, async (verb, address, search) => {
      const response = await host.send(verb, address + search)
      expect(response.headers.get('x-request-id')).toMatch(/^req_/)
      expect(response.status).toBeLessThan(500)
      const text = await response.text()
      if (response.status >= 400 && verb !== 'HEAD')
        expect(JSON.parse(text)).toMatchObject({
          success: false,
          error: { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String) },
        })
    }),
    { numRuns: 500 },
  )
  expect(host.logged).toEqual([])
})
