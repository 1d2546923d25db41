import { expect, test } from 'vitest'
import { findOutgoing } from './support/sources/outgoing.ts'
import { readSources } from './support/sources/sources.ts'

/**
 * Each file that may open connections, and how. A new file must be shown to be safe: a URL of a
 * recipe must not decide where it connects.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/engine/egress/egress.ts': ['Fetcher.send'],
  'src/defaults/web-fetcher.ts': ['fetch'],
  // In the program of the caller, to the service that the caller names.
  'src/client/web-defaults.ts': ['fetch'],
  // At a terminal, to the server that the user names.
  'adapters/command/api/connection.ts': ['fetch'],
  'adapters/command/doctor/doctor-server.ts': ['fetch'],
  'adapters/command/mcp/mcp.ts': ['fetch'],
  // To the bucket that the host names.
  'adapters/s3/index.ts': ['aws4fetch'],
  // To the server for mail that the host names; addresses of tenants are names to that server.
  'adapters/smtp/index.ts': ['nodemailer'],
  // In the browser, to the server of the page.
  'src/console/app/session.ts': ['fetch'],
  // To the site that `seine bench` itself has started, to measure the upper limit of a crawl.
  'adapters/command/bench/measures.ts': ['fetch'],
  'adapters/node/fetcher.ts': ['node:http Agent', 'node:https Agent'],
  'adapters/node/exchange.ts': ['node:http request', 'node:https request'],
  'adapters/node/resolver.ts': ['node:dns/promises'],
  // The egress function answers every request of its pages; test/browser/guard.browser.ts proves
  // that there is no other way.
  'adapters/playwright/connection.ts': ['playwright-core'],
}

const sources = readSources('src', 'adapters')
const requests = findOutgoing(sources)

test('the check finds the known ways to open a connection', () => {
  expect(sources.size).toBeGreaterThan(40)
  for (const [file, ways] of Object.entries(ALLOWED))
    expect([file, requests.filter((one) => one.file === file).map(({ way }) => way)]).toEqual([
      file,
      ways,
    ])
})

test('no other file opens a connection', () => {
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

test('planted: a connection in the JSX of a screen', () => {
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
