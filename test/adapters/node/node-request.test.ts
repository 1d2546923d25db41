import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClientWatch } from '../../../adapters/node/client-watch.ts'
import { NodeHeaders, NodeRequest } from '../../../adapters/node/node-request.ts'
import { toWebRequest } from '../../../adapters/node/web-request.ts'

function message(
  method: string,
  url: string,
  rawHeaders: readonly string[] = ['Host', 'host.example'],
): IncomingMessage {
  const req = new IncomingMessage(new Socket())
  req.method = method
  req.url = url
  req.rawHeaders = [...rawHeaders]
  for (let i = 0; i < rawHeaders.length; i += 2)
    req.headers[String(rawHeaders[i]).toLowerCase()] ??= String(rawHeaders[i + 1])
  return req
}

const of = (req: IncomingMessage) =>
  NodeRequest.of(req, new ClientWatch(req, new ServerResponse(req)))

test('headers are read as the class Headers gives them', () => {
  const name = fc.constantFrom('Accept', 'accept', 'X-API-Key', 'x-api-key', 'Cookie', 'Host')
  const value = fc.stringMatching(/^[!-~]([ -~]{0,8}[!-~])?$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), name, (sent, header) => {
      const web = new Headers(sent)
      const own = new NodeHeaders(sent.flat())
      expect(own.get(header)).toBe(web.get(header))
      expect(own.has(header.toUpperCase())).toBe(web.has(header))
    }),
  )
})

test('an address that is accepted is the one that a Request makes of it', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '/',
      '.',
      '..',
      '%2e',
      '%2E',
      '?',
      '#',
      ':',
      '@',
      '\\',
      '|',
      "'",
      '"',
      '%',
      '%C3%A9',
      'a',
      'B',
    ),
    fc.string({ maxLength: 3 }),
  )
  const host = fc.constantFrom(
    'host.example',
    'HOST.example:80',
    '127.0.0.1:8080',
    '[::1]:3',
    'a:b',
    'x:99999',
    'a b',
    '1.2',
  )
  let accepted = 0
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), host, (parts, named) => {
      const req = message('GET', `/${parts.join('')}`, ['Host', named])
      const request = of(req)
      if (!request) return
      accepted++
      expect(request.url).toBe(toWebRequest(req, new AbortController().signal).url)
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(100)
})

test('an unusual address is left to the Request', () => {
  expect(of(message('GET', '/a'))).not.toBeNull()
  for (const url of [
    '*',
    'http://other.example/',
    '/a/../b',
    '/a/%2E%2e/b',
    '/a b',
    '/ä',
    '/a#b',
    '',
  ])
    expect(of(message('GET', url))).toBeNull()
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'get'])
    expect(of(message(method, '/'))).toBeNull()
  for (const headers of [
    [],
    ['Host', 'a@b/c'],
    ['Host', 'a', 'Host', 'b'],
    [':authority', 'host.example'],
  ])
    expect(of(message('GET', '/', headers))).toBeNull()
})

test('it becomes one Request, which is the same object each time', () => {
  const lazy = of(message('DELETE', '/a?b', ['Host', 'host.example', 'X-In', 'yes']))
  const request = lazy?.toRequest()
  expect(request).toBeInstanceOf(Request)
  expect([request?.method, request?.url, request?.headers.get('x-in')]).toEqual([
    'DELETE',
    'http://host.example/a?b',
    'yes',
  ])
  expect(lazy?.toRequest()).toBe(request)
})

test('the body can be read once, by its first reader', () => {
  const sent = ['Host', 'host.example', 'Content-Length', '5']
  const early = of(message('POST', '/', sent))
  const body = early?.body
  expect(body).toBeInstanceOf(ReadableStream)
  expect(early?.body).toBe(body)
  expect(early?.toRequest().body).toBeNull()
  const late = of(message('POST', '/', sent))
  const request = late?.toRequest()
  expect(request?.body).toBeInstanceOf(ReadableStream)
  expect(late?.body).toBe(request?.body)
  expect(of(message('POST', '/'))?.body).toBeNull()
  expect(of(message('GET', '/', sent))).toBeNull()
})

describe('a body', () => {
  const post = (length: number): IncomingMessage =>
    message('POST', '/', ['Host', 'host.example', 'Content-Length', String(length)])

  test('that is there whole is read without a listener', async () => {
    const req = post(4)
    const request = of(req)
    req.push('ab')
    req.push('cd')
    req.push(null)
    req.complete = true
    const bytes = request?.readAll(4)
    expect(req.listenerCount('data')).toBe(0)
    expect(await bytes).toEqual(Buffer.from('abcd'))
  })

  test('that is there whole may be too large', async () => {
    const req = post(3)
    const request = of(req)
    req.push('abc')
    req.push(null)
    req.complete = true
    expect(await request?.readAll(2)).toBeNull()
  })

  test('whose client has left before it is read is an error', async () => {
    const req = post(3)
    const request = of(req)
    req.push('a')
    const closed = once(req, 'close')
    req.destroy()
    await closed
    await expect(request?.readAll(9)).rejects.toThrow('The client disconnected')
  })
})
