import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createOpenApi } from '../../../src/http/openapi/create-openapi.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import { defineRoute } from '../../../src/kernel/http/route.ts'
import { DocumentCheck } from './document-check.ts'

const params = v.strictObject({ id: v.string() })
const routes = [
  defineRoute({
    method: 'GET',
    path: '/things/:id',
    operation: 'things.read',
    summary: 'Reads',
    scope: 'tasks:read',
    limit: 'tasks',
    params,
    data: async () => v.strictObject({ size: v.number() }),
    handler: async () => ({}),
  }),
  defineRoute({
    method: 'GET',
    path: '/file',
    operation: 'things.file',
    summary: 'Reads',
    scope: null,
    limit: null,
    raw: { contents: { 'text/csv': 'a' } },
    handler: async () => ({}),
  }),
]
const check = new DocumentCheck(await createOpenApi(routes, DEFAULT_INFO))
const ok = { 'content-type': 'application/json', 'x-request-id': 'req_12345678' }
const violations = (
  status: number,
  headers: Record<string, string>,
  body: unknown,
  method = 'GET',
  path = '/things/1',
) =>
  check.violations(
    method,
    path,
    new Response(body === null ? null : JSON.stringify(body), { status, headers }),
  )

it.each([
  ['success', 200, ok, { success: true, data: { size: 1 } }],
  ['an error', 404, ok, { success: false, error: { code: 'NOT_FOUND', message: 'x' } }],
  [
    'a limit',
    429,
    { ...ok, 'x-ratelimit-reset': '12', 'retry-after': '1' },
    { success: false, error: { code: 'RATE_LIMIT_EXCEEDED', message: 'x' } },
  ],
  ['no change', 304, { 'x-request-id': 'req_12345678', etag: '"a"' }, null],
])('the check accepts %s', async (_, status, headers, body) => {
  expect(await violations(status, headers, body)).toEqual([])
})

it.each([
  ['an extra field', 200, ok, { success: true, data: { size: 1, secret: 2 } }],
  ['a wrong type', 200, ok, { success: true, data: { size: '1' } }],
  ['no envelope', 200, ok, { size: 1 }],
  ['an unknown status', 418, ok, {}],
  [
    'an error under a status of success',
    200,
    ok,
    { success: false, error: { code: 'NOT_FOUND', message: 'x' } },
  ],
  ["another status's code", 404, ok, { success: false, error: { code: 'CONFLICT', message: 'x' } }],
  ['an unknown header', 200, { ...ok, 'x-powered-by': 'y' }, { success: true, data: { size: 1 } }],
  [
    'a wrong header',
    200,
    { ...ok, 'x-ratelimit-limit': 'many' },
    { success: true, data: { size: 1 } },
  ],
  [
    'a missing header',
    200,
    { 'content-type': 'application/json' },
    { success: true, data: { size: 1 } },
  ],
  [
    'another content type',
    200,
    { ...ok, 'content-type': 'text/html' },
    { success: true, data: { size: 1 } },
  ],
])('the check reports %s', async (_, status, headers, body) => {
  expect(await violations(status, headers, body)).toHaveLength(1)
})

it('the check compares paths, methods and content types', async () => {
  expect(await violations(404, ok, {}, 'GET', '/nowhere')).toEqual([])
  expect(await violations(200, ok, {}, 'GET', '/nowhere')).toHaveLength(1)
  expect(await violations(405, { ...ok, allow: 'GET' }, {}, 'PUT')).toEqual([])
  expect(await violations(405, ok, {}, 'PUT')).toHaveLength(1)
  expect(await violations(204, { ...ok, allow: 'GET' }, null, 'OPTIONS')).toEqual([])
  expect(
    await violations(
      200,
      { ...ok, 'content-type': 'text/csv; charset=utf-8' },
      'a',
      'GET',
      '/file',
    ),
  ).toEqual([])
  expect(await violations(200, ok, 'a', 'GET', '/file')).toHaveLength(1)
})
