import { expect, test } from 'vitest'
import { findOutgoing } from './support/sources/outgoing.ts'
import { readSources } from './support/sources/sources.ts'

/**
 * Each file that may open connections, and how. Whoever adds one must show that it cannot be led
 * astray by a URL of a recipe.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/engine/egress/egress.ts': ['Fetcher.send'],
  'src/defaults/web-fetcher.ts': ['fetch'],
  // At the caller's, to the service that the caller names.
  'src/client/web-defaults.ts': ['fetch'],
  // At a terminal, to the server that whoever sits there names.
  'adapters/command/api/connection.ts': ['fetch'],
  'adapters/command/mcp/mcp.ts': ['fetch'],
  // To the bucket that the host has named.
  'adapters/s3/index.ts': ['aws4fetch'],
  // In the browser, to the server that the page came from.
  'src/console/app/session.ts': ['fetch'],
  // Pages of the site that `seine bench` itself has started, as the limit of what a crawl can be.
  'adapters/command/bench/measures.ts': ['fetch'],
  'adapters/node/fetcher.ts': ['node:http Agent', 'node:https Agent'],
  'adapters/node/exchange.ts': ['node:http request', 'node:https request'],
  'adapters/node/resolver.ts': ['node:dns/promises'],
  // Everything that its pages ask for is answered by the egress function;
  // test/browser/guard.browser.ts shows that there is no other way.
  'adapters/playwright/connection.ts': ['playwright-core'],
}

const sources = readSources('src', 'adapters')
const requests = findOutgoing(sources)

test('the check sees the ways out that there are', () => {
  expect(sources.size).toBeGreaterThan(40)
  for (const [file, ways] of Object.entries(ALLOWED))
    expect([file, requests.filter((one) => one.file === file).map(({ way }) => way)]).toEqual([
      file,
      ways,
    ])
})

test('there is no other way out', () => {
  expect(requests.filter(({ file, way }) => !ALLOWED[file]?.includes(way))).toEqual([])
})

const planted = (text: string) => findOutgoing(new Map([['src/x.ts', text]])).map(({ way }) => way)

test.for<readonly [string, string]>([
  ['await fetch(url)', 'fetch'],
  ['const get = fetch; get(url)', 'fetch'],
  ['globalThis.fetch(url)', 'fetch'],
  ['const { fetch } = globalThis', 'fetch'],
  ['const options = { request: fetch }', 'fetch'],
  ['const options = { fetch }', 'fetch'],
  ['export const f = (u = fetch) => u', 'fetch'],
  ['class A { readonly get = fetch }', 'fetch'],
  ['new WebSocket(url)', 'WebSocket'],
  ['new XMLHttpRequest()', 'XMLHttpRequest'],
  ['navigator.sendBeacon(url)', 'sendBeacon'],
  ["import http from 'node:http'", 'node:http'],
  ["import * as http from 'http'", 'http'],
  ["import { get as g } from 'node:https'", 'node:https get'],
  ["import { connect } from 'node:net'", 'node:net connect'],
  ["import { Socket } from 'node:net'", 'node:net Socket'],
  ["import { Agent, type Dispatcher } from 'undici'", 'undici'],
  ["const net = await import('node:net')", 'node:net'],
  ["const net = require('net')", 'net'],
  ["const net = process.getBuiltinModule('node:net')", 'node:net'],
  ["export { request } from 'node:http'", 'node:http'],
  ['await fetcher.send(hop)', 'Fetcher.send'],
  ['await this.#fetcher.send(hop)', 'Fetcher.send'],
  ['await options.fetcher.send(hop)', 'Fetcher.send'],
])('planted: %s', ([text, way]) => {
  expect(planted(text)).toEqual([way])
})

test('planted: in the JSX of a screen', () => {
  const text = 'export const A = () => <button onClick={() => fetch(url)}>x</button>'
  expect(findOutgoing(new Map([['src/console/app/a.tsx', text]]))).toEqual([
    { file: 'src/console/app/a.tsx', way: 'fetch' },
  ])
})

test.for([
  "// fetch(url)\nconst text = 'fetch(url)'",
  'platform.fetch(request)',
  'export interface Handler { fetch(request: Request): Promise<Response> }',
  'export interface Handler { fetch: typeof globalThis.fetch }',
  'const handler = { fetch: (request: Request) => answer(request) }',
  'export function toHandler(fetch: Handler) { return (request: Request) => fetch(request) }',
  'function use({ fetch }: Handler) { return fetch(new Request(url)) }',
  'class App { fetch(request: Request) { return this.route(request) } }',
  "import { createServer, type RequestListener } from 'node:http'",
  "import type { Socket } from 'node:net'",
  'queue.send(message)',
  'stage.fetch(url)',
])('harmless: %s', (text) => {
  expect(planted(text)).toEqual([])
})
