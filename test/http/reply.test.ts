import * as v from 'valibot'
import { expect, test } from 'vitest'
import type { LazyRequest } from '../../src/kernel/http/message.ts'
import { unauthorized } from '../../src/kernel/errors.ts'
import { defineRoute } from '../../src/kernel/http/route.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'
import { createHttp } from '../../src/http/handler.ts'

const principal = { account: 'acme', user: 'ann', scopes: ['*'] }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const clock = { now: () => 0, sleep: async () => {} }

function surface(...authenticators: readonly Authenticator[]) {
  const routes = [
    defineRoute({
      method: 'GET',
      path: '/plain',
      operation: 'plain',
      summary: 'Plain',
      scope: 'tasks:read',
      limit: null,
      handler: async () => ({ ok: true }),
    }),
    defineRoute({
      method: 'POST',
      path: '/written',
      operation: 'written',
      summary: 'Written',
      scope: 'tasks:read',
      limit: null,
      status: 201,
      body: v.looseObject({ name: v.string() }),
      handler: async ({ body: { name } }) => ({ name }),
    }),
    defineRoute({
      method: 'GET',
      path: '/own',
      operation: 'own',
      summary: 'Own',
      scope: 'tasks:read',
      limit: null,
      handler: async () => new Response('bytes'),
    }),
    defineRoute({
      method: 'POST',
      path: '/asked',
      operation: 'asked',
      summary: 'Asked',
      scope: 'tasks:read',
      limit: null,
      handler: async ({ request }) => ({ url: request.url, same: request.headers.get('x-in') }),
    }),
  ]
  return createHttp({
    routes,
    authenticators,
    limiter: null,
    logger: quiet,
    ids: (prefix) => `${prefix}_1`,
    clock,
  })
}

function lazily(path: string, method = 'GET') {
  let conversions = 0
  const headers = new Headers({ 'x-api-key': 'k', 'x-in': 'yes' })
  const url = `http://host.example${path}`
  const request = new Request(url, { method, headers })
  const lazy: LazyRequest = {
    method,
    url,
    headers,
    body: null,
    signal: request.signal,
    toRequest: () => (conversions++, request),
  }
  return { lazy, made: () => conversions }
}

const byHeaders: Authenticator = Object.assign(async () => null, {
  byHeaders: async (headers: Pick<Headers, 'get'>) =>
    headers.get('x-api-key') === 'k' ? principal : null,
})

test('a call that is authenticated by headers constructs neither a Request nor a Response', async () => {
  const { lazy, made } = lazily('/plain')
  const reply = await surface(byHeaders).reply(lazy)
  expect(reply).toMatchObject({
    status: 200,
    body: '{"success":true,"data":{"ok":true}}',
    headers: { 'X-Request-Id': 'req_1', 'Content-Type': 'application/json; charset=utf-8' },
  })
  expect(reply).not.toBeInstanceOf(Response)
  expect(made()).toBe(0)
})

test('a caller in this process gives a body as it is, and gets data without a body', async () => {
  const called = async (parsedBody: object) => {
    const { lazy } = lazily('/written', 'POST')
    return surface(byHeaders).reply({ ...lazy, parsedBody, readsData: true })
  }
  expect(await called({ name: 'ink' })).toMatchObject({
    status: 201,
    headers: { 'Cache-Control': 'no-store', 'X-Request-Id': 'req_1' },
    body: null,
    data: { name: 'ink' },
  })
  let deep: object = {}
  for (let depth = 0; depth < 70; depth++) deep = { name: deep }
  for (const wrong of [
    { name: 1 },
    { name: '\ud800' },
    JSON.parse('{"name":"ink","__proto__":1}'),
    { name: 'ink', list: Array.from({ length: 40_000 }, () => 0) },
    deep,
  ]) {
    const refused = await called(wrong)
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('BAD_REQUEST') })
    expect(refused).not.toHaveProperty('data')
  }
})

test('fetch gives the same answer as reply', async () => {
  const http = surface(byHeaders)
  for (const path of ['/plain', '/own', '/none']) {
    const { lazy } = lazily(path)
    const reply = await http.reply(lazy)
    const response = await http(lazy.toRequest())
    expect(response.status).toBe(reply.status)
    expect(await response.text()).toBe(reply instanceof Response ? await reply.text() : reply.body)
    expect([...response.headers]).toEqual([...new Headers(reply.headers)])
  }
})

test('HEAD has no body, whichever way it is made', async () => {
  for (const path of ['/plain', '/own'])
    expect(await (await surface(byHeaders)(lazily(path, 'HEAD').lazy.toRequest())).text()).toBe('')
})

test('an authenticator and a handler that need the Request get it', async () => {
  const seen: unknown[] = []
  const own: Authenticator = async (request) => {
    seen.push(request instanceof Request)
    return principal
  }
  const { lazy } = lazily('/asked', 'POST')
  expect(await surface(own).reply(lazy)).toMatchObject({
    status: 200,
    body: '{"success":true,"data":{"url":"http://host.example/asked","same":"yes"}}',
  })
  expect(seen).toEqual([true])
})

test('an authenticator by headers refuses like any other', async () => {
  const refusing: Authenticator = Object.assign(async () => null, {
    byHeaders: () => Promise.reject(unauthorized()),
  })
  expect((await surface(refusing, async () => principal).reply(lazily('/plain').lazy)).status).toBe(
    401,
  )
})

test('HEAD has the length of GET, or none if it is unknown', async () => {
  const http = surface(byHeaders)
  const lengthOf = async (path: string, method: string) => {
    const response = await http(lazily(path, method).lazy.toRequest())
    return [
      response.headers.get('content-length'),
      response.body !== null,
      (await response.text()).length,
    ]
  }
  const { length } = await (await http(lazily('/plain').lazy.toRequest())).text()
  expect(await lengthOf('/plain', 'HEAD')).toEqual([String(length), false, 0])
  // The body is present but empty: without one Bun and Deno send `Content-Length: 0`.
  expect(await lengthOf('/own', 'HEAD')).toEqual([null, true, 0])
})
