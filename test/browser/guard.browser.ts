import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createNodeFetcher } from '../../adapters/node/fetcher.ts'
import type { Fetcher } from '../../src/ports/fetcher.ts'
import type { Platform } from '../../src/platform/options.ts'
import { browserOf, platformOf, run } from './render-world.ts'

const PUBLIC = '93.184.216.34'
let canary: Server
let canaryPort = 0
/** Connections that reached the private server, and pages that it was asked for. */
const reached: string[] = []
let platform: Platform
const pages = new Map<string, string>()
const urls: string[] = []

/** The public web of these tests is in memory. All other requests would really be sent. */
function fetcherOf(): Fetcher {
  const real = createNodeFetcher()
  return {
    capabilities: { pinsAddresses: true },
    resolve: async (host) => (host.endsWith('inside.example.com') ? ['127.0.0.1'] : [PUBLIC]),
    async send(hop) {
      const { url, addresses } = hop
      urls.push(url.href)
      if (!addresses?.every((address) => address === PUBLIC)) return real.send(hop)
      const redirect = /^\/to\?(.*)$/.exec(url.pathname + url.search)?.[1]
      const body = new TextEncoder().encode(pages.get(url.href) ?? '')
      if (url.pathname === '/robots.txt')
        return { status: 404, headers: {}, body, truncated: false }
      if (redirect !== undefined)
        return {
          status: 302,
          headers: { location: decodeURIComponent(redirect) },
          body,
          truncated: false,
        }
      return {
        status: 200,
        headers: {
          'content-type': url.pathname.endsWith('.js') ? 'text/javascript' : 'text/html',
          'access-control-allow-origin': '*',
        },
        body,
        truncated: false,
      }
    },
    close: () => real.close(),
  }
}

beforeAll(async () => {
  canary = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
      .end('<p id="secret">secret</p>')
  })
  canary.on('connection', () => reached.push('connection'))
  await new Promise<void>((resolve) => void canary.listen(0, '127.0.0.1', resolve))
  canaryPort = (canary.address() as AddressInfo).port
  platform = platformOf({ browser: browserOf(), fetcher: fetcherOf() })
})
afterAll(async () => {
  await platform.close()
  canary.closeAllConnections()
  canary.close()
})

/** Ways in which a page may reach the private address `to`. */
const WAYS: Readonly<Record<string, (to: string) => string>> = {
  fetch: (to) => `<script>fetch('${to}', { mode: 'no-cors' })</script>`,
  'fetch, kept alive': (to) =>
    `<script>fetch('${to}', { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })</script>`,
  'a redirect of a script': (to) => `<script>fetch('/to?${encodeURIComponent(to)}')</script>`,
  'a frame': (to) => `<iframe src="${to}"></iframe>`,
  'a frame that is redirected': (to) => `<iframe src="/to?${encodeURIComponent(to)}"></iframe>`,
  'a frame with a page of its own': (to) =>
    `<iframe srcdoc="<script>new WebSocket('${to.replace('http', 'ws')}')</script><img src='${to}'>"></iframe>`,
  'an object': (to) => `<object data="${to}"></object><embed src="${to}">`,
  'a WebSocket': (to) => `<script>new WebSocket('${to.replace('http', 'ws')}')</script>`,
  'a WebSocket of a worker': (to) =>
    `<script>new Worker(URL.createObjectURL(new Blob(["new WebSocket('` +
    `${to.replace('http', 'ws')}'); fetch('${to}', { mode: 'no-cors' })"])))</script>`,
  'a shared worker': (to) =>
    `<script>new SharedWorker(URL.createObjectURL(new Blob(["new WebSocket('` +
    `${to.replace('http', 'ws')}'); fetch('${to}', { mode: 'no-cors' })"])))</script>`,
  'a service worker': () => `<script>navigator.serviceWorker.register('/worker.js')</script>`,
  'prefetch and its kin': (to) =>
    [
      'prefetch',
      'preload',
      'preconnect',
      'dns-prefetch',
      'prerender',
      'modulepreload',
      'icon',
      'manifest',
    ]
      .map((rel) => `<link rel="${rel}" href="${to}" as="script">`)
      .join(''),
  'speculation rules': (to) =>
    `<script type="speculationrules">{"prefetch":[{"urls":["${to}` +
    `"],"eagerness":"immediate"}],"prerender":[{"urls":["${to}"],"eagerness":"immediate"}]}` +
    '</script>',
  images: (to) =>
    `<img src="${to}"><img srcset="${to} 2x"><video src="${to}" autoplay></video>` +
    `<style>@font-face{font-family:f;src:url(${to})}body{font-family:f;background:url(${to}` +
    ')}</style>x',
  'event source, beacon, form': (to) =>
    `<form id="f" method="post" action="${to}"></form><script>new EventSource('${to}` +
    `'); navigator.sendBeacon('${to}', 'x'); setTimeout(() => f.submit(), 100)</script>`,
  'a ping': (to) => `<a id="a" href="#x" ping="${to}">x</a><script>a.click()</script>`,
  'a window': (to) => `<script>window.open('${to}')</script>`,
  'meta refresh': (to) => `<meta http-equiv="refresh" content="0;url=${to}">`,
  'the page itself moves': (to) => `<script>location.href = '${to}'</script>`,
  'the page itself moves by a redirect': (to) =>
    `<script>location.href = '/to?${encodeURIComponent(to)}'</script>`,
  'a reported violation': (to) =>
    `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri ${to}"><img src="/x.png">`,
  WebRTC: (to) =>
    `<script>const c = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:` +
    `${new URL(to).port}', 'turn:127.0.0.1:${new URL(to).port}?transport=tcp'], username: ` +
    `'u', credential: 'c' }] }); c.createDataChannel('d'); c.createOffer().then((o) => ` +
    'c.setLocalDescription(o))</script>',
  WebTransport: (to) => `<script>new WebTransport('${to.replace('http:', 'https:')}')</script>`,
}
const HOSTS = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  'deep.inside.example.com',
  '0x7f.1',
  '169.254.169.254',
]

it.each(Object.entries(WAYS))('reaches nothing inside: %s', async (name, wayTo) => {
  const url = `http://shop.example.com/${encodeURIComponent(name)}`
  pages.set(
    'http://shop.example.com/worker.js',
    `fetch('http://127.0.0.1:${canaryPort}/sw', { mode: 'no-cors' })`,
  )
  pages.set(
    url,
    '<!doctype html><title>Shop</title><p id="secret">ours</p>' +
      HOSTS.map((host) => wayTo(`http://${host}:${canaryPort}/`)).join('\n'),
  )
  const { rows } = await run(platform, {
    start: { urls: [url] },
    page: { render: 'browser', timeoutMs: 60_000, actions: [{ wait: 300 }] },
    extract: { fields: { secret: '#secret' } },
    formats: ['screenshot'],
  })
  expect(rows).toMatchObject([{ secret: 'ours' }])
  expect(reached).toEqual([])
})

it('a request to a private address would have been seen by this test', async () => {
  const open = platformOf({ browser: browserOf(), fetcher: fetcherOf(), allowPrivateNetwork: true })
  const url = 'http://shop.example.com/open'
  pages.set(
    url,
    `<p id="secret">ours</p><script>fetch('http://deep.inside.example.com:${canaryPort}` +
      `/').then((a) => a.text()).then((t) => { document.body.innerHTML = t })</script>`,
  )
  try {
    const { rows } = await run(open, {
      start: { urls: [url] },
      page: { render: 'browser' },
      extract: { fields: { secret: '#secret' } },
      crawl: { robots: false },
    })
    expect(rows).toEqual([{ secret: 'secret' }])
    expect(reached).toContain('GET /')
  } finally {
    await open.close()
  }
})

it('a browser whose requests nobody answers reaches nothing', async () => {
  reached.splice(0)
  const browser = browserOf()
  const body = new TextEncoder().encode(
    Object.values(WAYS)
      .map((way) => way(`http://127.0.0.1:${canaryPort}/`))
      .join(''),
  )
  let first = true
  try {
    await browser.render({
      url: 'http://shop.example.com/',
      userAgent: 'Seine',
      viewport: { width: 800, height: 600 },
      actions: [{ kind: 'pause', ms: 500 }],
      screenshot: null,
      timeoutMs: 60_000,
      maxLength: 1e6,
      signal: new AbortController().signal,
      async answer() {
        if (!first) return null
        first = false
        return { status: 200, headers: { 'content-type': 'text/html' }, body }
      },
    })
    expect(reached).toEqual([])
  } finally {
    await browser.close()
  }
})
