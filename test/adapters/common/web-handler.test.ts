import { expect, test } from 'vitest'
import { toWebHandler } from '../../../adapters/common/serve/web-handler.ts'

/** A request as a server hands it over: `Request` itself would not have the address. */
function handedOver(url: string, host?: string): Request {
  const request = new Request('http://any.example/', {
    headers: host === undefined ? {} : { host },
  })
  return new Proxy(request, {
    get(target, name) {
      const value: unknown = name === 'url' ? url : Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const seen = (onError?: (error: unknown) => void) =>
  toWebHandler((request) => new Response(request.url), onError && { onError })

test('a request without a host, as in HTTP/1.0, gets one', async () => {
  const response = await seen()(handedOver('/api/v1/tasks?limit=1'))
  expect([response.status, await response.text()]).toEqual([
    200,
    'http://localhost/api/v1/tasks?limit=1',
  ])
})

test.each([
  ['/api/v1/tasks', 'a b/c'],
  ['http://a b/c/api/v1/tasks', 'a b/c'],
  ['http://x:99999/api', 'x:99999'],
  ['http://me@host.example/api', 'me@host.example'],
  ['http://a.example/api', 'a.example, b.example'],
  ['http://a.example/api', 'a.example, a.example'],
  ['ftp://a.example/api', 'a.example'],
  ['data:text/plain,x', 'a.example'],
])('%s of the host %s is answered as an error of the client', async (url, host) => {
  const errors: unknown[] = []
  const response = await seen((error) => errors.push(error))(handedOver(url, host))
  expect([response.status, await response.json(), errors]).toEqual([
    400,
    { success: false, error: { code: 'BAD_REQUEST', message: 'The request names no valid host' } },
    [],
  ])
})

test('only the host sees an error that fetch throws', async () => {
  const errors: unknown[] = []
  const failing = toWebHandler(() => Promise.reject(new Error('secret')), {
    onError: (error) => errors.push(error),
  })
  const response = await failing(new Request('http://host.example/'))
  expect([response.status, await response.text(), String(errors)]).toEqual([
    500,
    '{"success":false,"error":{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}}',
    'Error: secret',
  ])
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
})
